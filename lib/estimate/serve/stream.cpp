#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/serve/law.hpp"

namespace steelyard::estimate {

namespace {

constexpr double us = 1e-6;
constexpr double chunk = 512;  // tokens of a prompt that go through the layers together: llama.cpp's default ubatch

bool has_new_kernels(const ServeJob& job) {
  return job.architecture.starts_with("Ada") || job.architecture.starts_with("Blackwell") || job.architecture.starts_with("Hopper");
}

double token_s(const ServeJob& job, const StreamLaw& law, double context) {
  const double read = job.active / job.parameters;  // experts: those of one token
  const double weights = job.parameters * read * job.weight_bytes / (job.memory_rate * law.weight_read) * (job.quantized ? law.quantized_read : 1);
  const double cache = context * job.kv_token_bytes * law.cache_read / job.memory_rate * (has_new_kernels(job) ? law.new_kernels : 1);
  return weights + cache + (law.layer_us * job.layers + law.hop_us * (job.gpus - 1)) * us;
}

double prompt_s(const ServeJob& job, const StreamLaw& law) {
  const double chunks = std::ceil(job.input / chunk), gpus = job.gpus;
  const double products = 2 * job.active * job.input / (job.fp16_peak_any * law.prefill) * (job.quantized ? law.quantized_prefill : 1);
  const double attention = 2 * job.layers * job.hidden * job.input * job.input / (job.fp16_peak_any * law.attention);
  const double in_flight = std::min(law.chunks_in_flight, chunks);
  const double speed_up = in_flight * gpus / (in_flight + gpus - 1);  // a pipeline of that many chunks over the GPUs
  return (products + attention + law.chunk_layer_us * us * job.layers * chunks) / speed_up +
         law.prefill_hop_us * us * (gpus - 1) * std::min(1.0, job.input / chunk);
}

}  // namespace

std::span<const LawMember<StreamLaw>> stream_parameters() {
  using L = StreamLaw;
  static constexpr std::array<LawMember<L>, 12> all{{
      {"weight_read", &L::weight_read, 0.9, 0.1},
      {"quantized_read", &L::quantized_read, 1.2, 0.15},
      {"layer_us", &L::layer_us, 15, 0.7},
      {"hop_us", &L::hop_us, 160, 0.7},
      {"cache_read", &L::cache_read, 3, 1},
      {"new_kernels", &L::new_kernels, 0.6, 0.4},
      {"prefill", &L::prefill, 0.5, 0.3},
      {"quantized_prefill", &L::quantized_prefill, 1.1, 0.2},
      {"attention", &L::attention, 0.1, 1},
      {"chunks_in_flight", &L::chunks_in_flight, 4, 0.3},
      {"prefill_hop_us", &L::prefill_hop_us, 1000, 1},
      {"chunk_layer_us", &L::chunk_layer_us, 20, 0.7},
  }};
  return all;
}

ServeTimes stream_times(const ServeJob& job, const StreamLaw& law) {
  ServeTimes out;
  out.batch = 1;
  const double token = token_s(job, law, job.input + job.output / 2), prompt = prompt_s(job, law);
  out.host = (law.layer_us * job.layers + law.hop_us * (job.gpus - 1)) * us;
  out.memory_bound = token - out.host;
  out.compute = prompt / job.output;
  out.per_token = token + prompt / job.output;
  out.first = prompt;
  out.latency = prompt + (job.output - 1) * token;
  return out;
}

}  // namespace steelyard::estimate
