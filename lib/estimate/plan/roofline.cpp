#include "estimate/plan/roofline.hpp"

#include <algorithm>

#include "estimate/plan/bounds.hpp"

namespace steelyard::estimate {

namespace {

// The usual figures stand in where a board's facts are missing: only the order of plans depends on them, never a shown time.
struct Rates {
  const PlanBounds& usual = PlanBounds::embedded();
  double flops = usual.usual_tflops * 1e12, memory = usual.usual_memory_gb_per_s * 1e9, inside = usual.usual_pcie_gb_per_s * 1e9,
         across = usual.usual_network_gb_per_s * 1e9, latency_s = usual.collective_latency_us * 1e-6;
};

Rates rates_of(const Configuration& configuration) {
  Rates rates;
  const Board* board = configuration.board;
  if (board) {
    for (const char* format : {"bf16", "fp16", "fp32"}) {
      if (const auto found = board->dense_tflops.find(format); found != board->dense_tflops.end()) {
        rates.flops = found->second * 1e12;
        break;
      }
    }
    rates.memory = board->memory_bandwidth_gb_per_s.value_or(rates.usual.usual_memory_gb_per_s) * 1e9;
  }
  if (configuration.intra_node == "nvlink")
    rates.inside =
        (board && board->nvlink_gb_per_s_bidirectional ? *board->nvlink_gb_per_s_bidirectional / 2 : rates.usual.usual_nvlink_gb_per_s) * 1e9;
  if (configuration.inter_node.gbit_per_s_per_node)
    rates.across = *configuration.inter_node.gbit_per_s_per_node / 8 * 1e9 / configuration.gpus_per_node;
  return rates;
}

double training_step_s(const MemoryJob& job, const Rates& rates, const Configuration& configuration, const Plan& plan) {
  const Shape& shape = job.shape;
  const double split = double(plan.tensor) * plan.pipeline * plan.context;
  const double tokens = plan.micro_batch * std::max(1.0, job.sequence);
  const double passes = plan.activation_checkpointing == "full" ? 8 : 6;
  const double compute = passes * shape.active() * tokens / split / rates.flops;
  const double local = shape.parameters / (double(plan.tensor) * plan.pipeline);
  double exchange = 0;
  if (plan.tensor > 1)
    exchange += 8 * tokens / plan.context * shape.hidden * 2 * shape.layers / plan.pipeline / rates.inside +
                8 * shape.layers / plan.pipeline * rates.latency_s;
  if (plan.expert > 1)
    exchange += 8 * tokens / plan.context * shape.hidden * shape.experts_per_token * shape.layers / plan.pipeline /
                (plan.expert <= configuration.gpus_per_node ? rates.inside : rates.across);
  const double outer = configuration.nodes > 1 ? std::min(rates.inside, rates.across) : rates.inside;
  const bool gathers = shards_weights(sharding_of(plan.sharding));
  if (gathers) exchange += 6 * local / outer;
  const double micro_step = compute + exchange;
  const double bubble = (plan.pipeline - 1.0) / plan.virtual_pipeline * micro_step;
  const double reduce = !gathers && plan.data > 1 ? 4 * local / outer : 0;
  return plan.accumulation * micro_step + bubble + reduce;
}

// A decode step reads the weights once and the cache of every sequence; prompts are computed in between.
double serving_token_s(const MemoryJob& job, const Rates& rates, const Plan& plan, double kv_tokens) {
  const Shape& shape = job.shape;
  const double split = double(plan.tensor) * plan.pipeline;
  const double asked = job.concurrency > 0 ? job.concurrency / plan.data : job.engine->max_sequences;
  const double held = kv_tokens / std::max(1.0, job.input_tokens + job.output_tokens);
  const double sequences = std::max(1.0, std::min({asked, job.engine->max_sequences, held}));
  const double cached = sequences * (job.input_tokens + job.output_tokens / 2) * job.kv_token_bytes / split;
  const double read = (shape.parameters * job.stored_bytes / split + cached) / rates.memory;
  const double computed = 2 * shape.active() * sequences * (1 + job.input_tokens / std::max(1.0, job.output_tokens)) / split / rates.flops;
  const double latency = plan.tensor > 1 ? 2 * shape.layers * rates.latency_s : 0;
  const double all = job.concurrency > 0 ? std::min(job.concurrency, sequences * plan.data) : sequences * plan.data;
  return ((read + computed) * plan.pipeline + latency) / all;
}

}  // namespace

std::optional<double> roofline_step_s(const MemoryJob& job, const Configuration& configuration, const Plan& plan, double kv_tokens) {
  if (job.shape.parameters <= 0) return std::nullopt;
  const Rates rates = rates_of(configuration);
  if (job.kind == JobKind::training) return training_step_s(job, rates, configuration, plan);
  return job.kind == JobKind::serving ? serving_token_s(job, rates, plan, kv_tokens) : 1.0 / plan.data;
}

}  // namespace steelyard::estimate
