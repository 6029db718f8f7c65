#include <algorithm>
#include <array>
#include <cmath>

#include "estimate/serve/law.hpp"

namespace steelyard::estimate {

namespace {

constexpr double us = 1e-6;
constexpr double activation_bytes = 2;           // between GPUs
constexpr double routed_activation_bytes = 1.5;  // dispatched in 8 bits, combined in 16
constexpr double cache_growth = 0.8;             // share of the output that a running request's cache holds where memory limits the load

/// Tokens that the layers see on average of a context.
double seen(const ServeJob& job, double context) {
  return job.window <= 0 ? context : (1 - job.window_share) * context + job.window_share * std::min(job.window, context);
}

/// How the plan divides weights and cache.
struct Split {
  double weights, experts, cache;
};
Split split_of(const ServeJob& job) {
  const double stages = job.pipeline;
  const double heads = job.latent_attention ? 1 : std::min<double>(job.tensor, job.kv_heads);
  return {job.tensor * stages, std::max(job.tensor, job.expert) * stages, heads * stages};
}

double requests_in_flight(const ServeJob& job, const BatchingLaw& law, const Split& split) {
  const double weights = (job.parameters - job.routed) * job.weight_bytes / split.weights + job.routed * job.expert_bytes / split.experts;
  const double free = std::max(law.memory_share * job.usable_bytes - weights, 0.02 * job.usable_bytes);
  const double fitting = free / (job.kv_token_bytes / split.cache * seen(job, job.input + cache_growth * job.output));
  const double most = 1 / (1 / fitting + 1 / law.most_requests);
  if (job.concurrency <= 0) return std::max(1.0, most);
  const double replicas = job.attention_data_parallel ? job.gpus : job.replicas();
  return std::max(1.0, std::min(job.concurrency / replicas, 1.5 * most));
}

double prefill_share(const ServeJob& job, const BatchingLaw& law) {
  return job.format == ServeFormat::four ? law.prefill_4 : job.format == ServeFormat::eight ? law.prefill_8 : law.prefill_16;
}

double decode_share(const ServeJob& job, const BatchingLaw& law) {
  const double factor = job.format == ServeFormat::four ? law.decode_4 : job.format == ServeFormat::eight ? law.decode_8 : 1;
  return prefill_share(job, law) * factor;
}

/// Start-up of the exchanges of one pass through one stage's layers.
double latency_s(const ServeJob& job, const BatchingLaw& law) {
  double out = 0;
  const double layers = job.layers / job.pipeline;
  if (job.tensor > 1) {
    const double one = (job.nvlink ? law.nvlink_latency_us : law.pcie_latency_us) * us;
    out += 2 * layers * one * std::pow(law.latency_per_doubling, std::log2(job.tensor / 2.0));
  }
  if (job.attention_data_parallel) out += 2 * job.layers * law.exchange_latency_us * us;
  return out;
}

/// Bytes that a GPU sends for `tokens` tokens of its own group.
double exchanged_bytes(const ServeJob& job, double tokens) {
  double out = 0;
  if (job.tensor > 1) out += 4 * job.layers / job.pipeline * (job.tensor - 1) / job.tensor * tokens * job.hidden * activation_bytes;
  if (job.attention_data_parallel) out += 2 * job.layers * tokens * job.experts_per_token * job.hidden * routed_activation_bytes;
  return out;
}

double moving_s(const ServeJob& job, const BatchingLaw& law, double bytes) { return job.link > 0 ? bytes / (job.link * law.link_share) : 0; }

struct Step {
  double weights = 0, products = 0, cache = 0, communication = 0, host = 0, bytes = 0;
  double total() const { return std::hypot(weights, products) + cache + communication + host; }
};

/// One decode step of `batch` requests in one stage.
Step decode_step(const ServeJob& job, const BatchingLaw& law, const Split& split, double batch) {
  Step out;
  const double tokens = batch * (job.attention_data_parallel ? job.expert : 1);
  const double touched = job.experts > 0 ? 1 - std::pow(1 - std::min(1.0, job.experts_per_token / job.experts), tokens) : 0;
  const double bytes = (job.parameters - job.routed) * job.weight_bytes / split.weights + job.routed * job.expert_bytes * touched / split.experts;
  out.weights = bytes / (job.memory_rate * law.weight_read);
  out.products = 2 * job.active * batch / split.weights / (job.peak * decode_share(job, law));
  out.cache = batch * job.kv_token_bytes / split.cache * seen(job, job.input + job.output / 2) / (job.memory_rate * law.kv_read);
  out.bytes = exchanged_bytes(job, batch);
  out.communication = latency_s(job, law) + moving_s(job, law, out.bytes);
  const double layers = job.layers / job.pipeline;
  out.host = (law.step_us + layers * (law.layer_us + (job.experts > 0 ? law.expert_layer_us : 0))) * us * (job.host_cpu_slow ? law.slow_host : 1) *
             (job.attention_data_parallel ? law.attention_parallel : 1);
  return out;
}

struct Prefill {
  double compute = 0, communication = 0;
  double total() const { return compute + communication; }
};

/// The prompt of one request through one replica whose stages all have work.
Prefill prefill_of(const ServeJob& job, const BatchingLaw& law, const Split& split) {
  const double products = 2 * job.active * job.input / (job.peak * prefill_share(job, law)) * (job.experts > 0 ? law.expert_prefill : 1);
  const double attention = 2 * job.heads * job.head_dim * job.input * seen(job, job.input) * job.layers / (job.peak_16 * law.attention);
  return {(products + attention) / split.weights, moving_s(job, law, exchanged_bytes(job, job.input))};
}

}  // namespace

std::span<const LawMember<BatchingLaw>> batching_parameters() {
  using L = BatchingLaw;
  static constexpr std::array<LawMember<L>, 23> all{{
      {"prefill_16", &L::prefill_16, 0.59, 0.15},
      {"prefill_8", &L::prefill_8, 0.40, 0.15},
      {"prefill_4", &L::prefill_4, 0.29, 0.2},
      {"decode_8", &L::decode_8, 1, 0.2},
      {"decode_4", &L::decode_4, 1, 0.2},
      {"expert_prefill", &L::expert_prefill, 1, 0.3},
      {"weight_read", &L::weight_read, 0.63, 0.15},
      {"kv_read", &L::kv_read, 0.67, 0.2},
      {"step_us", &L::step_us, 3500, 0.4},
      {"layer_us", &L::layer_us, 18, 0.5},
      {"expert_layer_us", &L::expert_layer_us, 8, 0.8},
      {"slow_host", &L::slow_host, 1.5, 0.3},
      {"attention_parallel", &L::attention_parallel, 1.5, 0.4},
      {"nvlink_latency_us", &L::nvlink_latency_us, 11, 0.4},
      {"pcie_latency_us", &L::pcie_latency_us, 26, 0.4},
      {"latency_per_doubling", &L::latency_per_doubling, 1.4, 0.3},
      {"exchange_latency_us", &L::exchange_latency_us, 20, 0.7},
      {"link_share", &L::link_share, 0.4, 0.5},
      {"token_us", &L::token_us, 7, 0.5},
      {"memory_share", &L::memory_share, 0.89, 0.04},
      {"most_requests", &L::most_requests, 3000, 0.3},
      {"attention", &L::attention, 0.4, 0.3},
      {"first_token_host", &L::first_token_host, 1, 0.3},
  }};
  return all;
}

ServeTimes batching_times(const ServeJob& job, const BatchingLaw& law) {
  const Split split = split_of(job);
  ServeTimes out;
  out.batch = requests_in_flight(job, law, split);
  const Step step = decode_step(job, law, split, std::max(1.0, out.batch / job.pipeline));
  const Prefill prefill = prefill_of(job, law, split);
  const double token = law.token_us * us * (job.host_cpu_slow ? law.slow_host : 1), share = job.pipeline / out.batch;
  out.communication = prefill.communication / job.output + step.communication * share;
  out.host = step.host * share + token;
  out.memory_bound = step.cache * share;
  out.compute = prefill.compute / job.output + std::hypot(step.weights, step.products) * share;
  out.per_token = (prefill.total() / job.output + step.total() * share + token) / (job.attention_data_parallel ? job.gpus : job.replicas());
  out.exchange_bytes = step.bytes;
  // Requests that start together: their prompts one after the other, then one step a token. A single one where no concurrency is stated.
  ServeJob alone = job;
  if (job.concurrency <= 0) alone.concurrency = 1;
  const double together = requests_in_flight(alone, law, split);
  const Step small = decode_step(job, law, split, std::max(1.0, together / job.pipeline));
  out.first = std::hypot(small.weights, prefill.total() * together) * job.pipeline + small.host * law.first_token_host + latency_s(job, law);
  out.latency = out.first + (job.output - 1) * job.pipeline * small.total();
  return out;
}

}  // namespace steelyard::estimate
