#include "estimate/plan/roofline.hpp"

#include <algorithm>

namespace steelyard::estimate {

namespace {

// Round figures for boards whose facts are missing: only the order of plans depends on them, never a shown time.
constexpr double usual_tflops = 300, usual_memory_gb_per_s = 2000, usual_nvlink_gb_per_s = 300, usual_pcie_gb_per_s = 20, usual_network_gb_per_s = 25;
constexpr double collective_latency_s = 20e-6;

struct Rates {
  double flops = usual_tflops * 1e12, memory = usual_memory_gb_per_s * 1e9, inside = usual_pcie_gb_per_s * 1e9, across = usual_network_gb_per_s * 1e9;
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
    rates.memory = board->memory_bandwidth_gb_per_s.value_or(usual_memory_gb_per_s) * 1e9;
  }
  if (configuration.intra_node == "nvlink")
    rates.inside = (board ? board->nvlink_gb_per_s_bidirectional.value_or(2 * usual_nvlink_gb_per_s) : 2 * usual_nvlink_gb_per_s) / 2 * 1e9;
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
                8 * shape.layers / plan.pipeline * collective_latency_s;
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

// Seconds for one output token of every sequence that fits, over all replicas: lower is more throughput.
double serving_step_s(const MemoryJob& job, const Rates& rates, const Plan& plan) {
  const Shape& shape = job.shape;
  const double split = double(plan.tensor) * plan.pipeline;
  const double weights = shape.parameters * job.stored_bytes / split / rates.memory;
  const double latency = plan.tensor > 1 ? 2 * shape.layers * collective_latency_s : 0;
  return (weights * plan.pipeline + latency) / plan.data;
}

}  // namespace

std::optional<double> roofline_step_s(const MemoryJob& job, const Configuration& configuration, const Plan& plan) {
  if (job.shape.parameters <= 0) return std::nullopt;
  const Rates rates = rates_of(configuration);
  return job.kind == JobKind::training ? training_step_s(job, rates, configuration, plan) : serving_step_s(job, rates, plan);
}

}  // namespace steelyard::estimate
