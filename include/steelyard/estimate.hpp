// The estimate: does a job fit, how fast does it run, what does it cost, and how sure is that.
#pragma once

#include <map>
#include <optional>
#include <steelyard/configuration.hpp>
#include <steelyard/value.hpp>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

namespace steelyard {

/// A plan of execution: every `auto` filled in.
struct Plan {
  int tensor = 1, pipeline = 1, context = 1, expert = 1, virtual_pipeline = 1, data = 1;
  bool sequence_parallel = false;
  int shard_group = 0;  // ranks that share the states (hsdp: those of one or more nodes); 0 = all data-parallel ranks
  int micro_batch = 1, global_batch = 1, accumulation = 1;
  std::string sharding = "ddp";  // "ddp" "zero1" "zero2" "zero3" "fsdp" "hsdp" "none"
  std::string offload = "none";
  std::string activation_checkpointing = "none";  // "none" "selective" "full"
  int recomputed_layers = 0;                      // selective: layers of a stage that are recomputed whole; 0 = attention scores only
  std::vector<std::string> filled_in;             // dotted fields that the engine chose

  friend bool operator==(const Plan&, const Plan&) = default;
};

struct MemoryPhase {
  std::string phase;  // "load" "first_forward" "backward_peak" "first_step" "checkpoint"; serving: "weights" "kv_cache" ...
  double gib = 0;     // on the fullest GPU
};

/// GiB (2^30 bytes) on the fullest GPU; empty = cannot be told.
struct MemoryEstimate {
  std::optional<double> usable_gib, peak_gib, largest_allocation_gib, host_gib;
  std::vector<MemoryPhase> phases;
  std::map<std::string, double> breakdown_gib;    // "weights" "gradients" "optimizer" "activations" "buffers" "kv_cache" ...
  std::optional<double> checkpoint_gib;           // written at a checkpoint by all GPUs together: trained weights and optimizer states, once
  std::string code;                               // reject code where it does not fit, else empty
  std::string failing_phase, failing_allocation;  // named where it does not fit

  // What the rules of step 1 read.
  std::string basis;                   // "formula" "measured" "lower_bound" (states only: activations are not known) or empty: nothing is known
  std::optional<double> states_gib;    // weights, gradients, optimizer; served weights
  std::optional<double> fixed_gib;     // peak without activations and logits: buckets, gathered layers, the fp32 partition, a least KV cache
  std::optional<double> run_gib;       // largest phase once weights are loaded
  std::optional<double> load_gib;      // while weights come onto the GPU
  std::optional<double> kv_tokens;     // serving: tokens of KV cache that the rest of the usable memory holds
  bool single_gpu = false;             // one input uses one GPU; others do not help
  std::optional<double> upcast_gib;    // adapters on a base in 4 or 8 bits: what embeddings in 32 bits would add, as PEFT casts them; not in the peak
  std::optional<double> frames;        // diffusion: of the sample that the figures are for; 1 = an image
  std::optional<double> sample_share;  // diffusion: what one pass makes over the largest sample whose memory is published; empty where none is
};

/// A figure with its range.
struct Interval {
  double low = 0, high = 0;
  std::string of;  // "step_time_s" ...
};

/// Time of one step (or of serving). Empty = cannot be told.
struct TimeEstimate {
  std::optional<double> step_time_s, tokens_per_s, samples_per_s, output_tokens_per_s, requests_per_s, latency_ms, mfu;
  std::map<std::string, double> breakdown_s;  // "compute" "memory_bound" "communication_exposed" "bubble" "input"
  std::optional<Interval> interval;
  std::optional<double> interconnect, memory, software;  // the guide's factors, derived: shares in 0..1
  std::optional<double> exchange_bytes_per_step;         // per GPU, between GPUs
  std::optional<double> inter_node_bytes_per_step;       // per GPU, between nodes
  std::string confidence;                                // "calibrated" "same_gpu_and_framework" "same_gpu" "extrapolated"
};

}  // namespace steelyard
