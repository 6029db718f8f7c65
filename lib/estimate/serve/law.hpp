// The time law of serving by continuous batching, and that of one stream on boards that share the layers (llama.cpp).
// Formulas and sources: docs/reference/estimate-serving.md.
#pragma once

#include <span>

#include "estimate/serve/job.hpp"

namespace steelyard::estimate {

/// Parameters of continuous batching, in the order of `batching_parameters`.
struct BatchingLaw {
  double prefill_16 = 0.59, prefill_8 = 0.4, prefill_4 = 0.29;                      // share of the peak in prefill, by format
  double decode_8 = 1, decode_4 = 1;                                                // of that share in decode
  double expert_prefill = 1;                                                        // time factor of prefill through experts
  double weight_read = 0.63, kv_read = 0.67;                                        // share of the memory's peak
  double step_us = 3500, layer_us = 18, expert_layer_us = 8;                        // host time a step, a layer, more a layer with experts
  double slow_host = 1.5, attention_parallel = 1.5;                                 // factors on the host time
  double nvlink_latency_us = 11, pcie_latency_us = 26, latency_per_doubling = 1.4;  // of one all-reduce of two GPUs; factor a doubling
  double exchange_latency_us = 20;                                                  // of one exchange of tokens between experts
  double link_share = 0.4;                                                          // of the link's nominal rate
  double token_us = 7;                                                              // host time a token, all requests
  double memory_share = 0.89;                                                       // of the usable memory that weights and cache fill
  double most_requests = 3000;                                                      // in flight, a GPU group
  double attention = 0.4;                                                           // share of the 16-bit peak in attention over a prompt
  double first_token_host = 1;                                                      // host time of a first token in steps
};

/// Parameters of one stream, in the order of `stream_parameters`.
struct StreamLaw {
  double weight_read = 0.9;                                         // share of the memory's peak
  double quantized_read = 1.2;                                      // time factor of quantised weights
  double layer_us = 40, hop_us = 160;                               // a layer, a further GPU
  double cache_read = 3;                                            // passes over the cache that its memory peak would need
  double new_kernels = 0.6;                                         // time factor of the cache on Ada and later
  double prefill = 0.5, quantized_prefill = 1.15, attention = 0.1;  // shares of the fastest fp16 peak, time factor
  double chunks_in_flight = 4;                                      // that a prompt's chunks of 512 keep busy
  double prefill_hop_us = 4000, chunk_layer_us = 20;
};

template <class LawType>
struct LawMember {
  const char* name;
  double LawType::*member;
  double median, spread;  // prior of the fit
};
std::span<const LawMember<BatchingLaw>> batching_parameters();
std::span<const LawMember<StreamLaw>> stream_parameters();

/// Seconds. `per_token`: of one output token of all replicas together at the given or highest load; `first`, `latency`: of one request (or of the
/// stated concurrent ones, started together).
struct ServeTimes {
  double per_token = 0, first = 0, latency = 0;
  double batch = 0;                                                   // requests in flight in one replica
  double compute = 0, memory_bound = 0, communication = 0, host = 0;  // of one output token's time, before replicas
  double exchange_bytes = 0;                                          // a GPU sends in a decode step
};

ServeTimes batching_times(const ServeJob& job, const BatchingLaw& law);
ServeTimes stream_times(const ServeJob& job, const StreamLaw& law);

}  // namespace steelyard::estimate
