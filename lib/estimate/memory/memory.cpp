#include <algorithm>
#include <steelyard/memory.hpp>

#include "estimate/memory/bytes.hpp"

namespace steelyard {

namespace {

using namespace estimate;

constexpr double gib = 1073741824.0;

void add_phases(const MemoryJob& job, const MemoryBytes& bytes, MemoryEstimate& estimate) {
  const auto add = [&](const char* name, double value) {
    if (value > 0) estimate.phases.push_back({name, value / gib});
  };
  if (job.kind == JobKind::training) {
    add("load", bytes.load());
    add("first_forward", bytes.first_forward());
    add("backward_peak", bytes.backward_peak());
    add("first_step", bytes.first_step());
    add("checkpoint", bytes.checkpoint());
    add("rollout", bytes.rollout_peak());
    return;
  }
  add("weights", bytes.weights + bytes.reference);
  add("encoder_or_decoder", bytes.alone);
  add("kv_cache", bytes.kv_cache);
  add("activations", bytes.activations + bytes.logits);
  add("graph_capture", bytes.graphs);
}

void add_breakdown(const MemoryBytes& bytes, MemoryEstimate& estimate) {
  const auto add = [&](const char* name, double value) {
    if (value > 0) estimate.breakdown_gib[name] = value / gib;
  };
  add("weights", bytes.weights);
  add("gradients", bytes.gradients);
  add("optimizer", bytes.optimizer);
  add("frozen_models", bytes.reference);
  add("activations", bytes.activations);
  add("logits", bytes.logits);
  add("buffers", bytes.gathered + bytes.buckets + bytes.temporary + bytes.graphs);
  add("step_partition", bytes.partition);
  add("kv_cache", bytes.kv_cache);
  add("rollout", bytes.rollout);
  add("context", bytes.context);
}

std::string fullest_phase(const MemoryEstimate& estimate) {
  const auto largest = std::max_element(estimate.phases.begin(), estimate.phases.end(), [](const auto& a, const auto& b) { return a.gib < b.gib; });
  return largest == estimate.phases.end() ? std::string() : largest->phase;
}

// The allocation that a user sees fail: the largest of what the fullest phase adds to the states.
std::string failing_allocation(const MemoryBytes& bytes, const std::string& phase) {
  if (phase == "first_step") return "fp32 copy of one optimizer partition";
  if (phase == "load") return "weights while loading";
  if (phase == "rollout") return "weights and cache of the generating model";
  const std::pair<double, const char*> parts[] = {{bytes.activations, "activations"},       {bytes.logits, "logits"},
                                                  {bytes.gathered, "gathered layers"},      {bytes.buckets, "communication buckets"},
                                                  {bytes.temporary, "unreduced gradients"}, {bytes.kv_cache, "KV cache"}};
  const auto* largest = std::max_element(std::begin(parts), std::end(parts), [](const auto& a, const auto& b) { return a.first < b.first; });
  return bytes.states() > largest->first * 4 ? "weights, gradients and optimizer states" : largest->second;
}

// What a run needs whatever its batch: everything but activations and logits.
double fixed_bytes(const MemoryJob& job, MemoryBytes bytes) {
  bytes.activations = bytes.logits = 0;
  return run_bytes(job, bytes);
}

void add_kv_room(const MemoryJob& job, const MemoryBytes& bytes, MemoryEstimate& estimate) {
  if (job.kind != JobKind::serving || !estimate.usable_gib || bytes.kv_token <= 0) return;
  const double room = *estimate.usable_gib * gib - (bytes.serving() - bytes.kv_cache);
  estimate.kv_tokens = std::max(0.0, room / bytes.kv_token);
}

}  // namespace

std::optional<double> usable_memory_gib(const Board& board) {
  if (board.usable_memory_gib) return board.usable_memory_gib;
  return board.memory_gb_nominal > 0 ? std::optional(board.memory_gb_nominal * 1e9 / gib) : std::nullopt;
}

MemoryEstimate estimate_memory(const Workload& workload, const Configuration& configuration, const Plan& plan) {
  MemoryEstimate estimate;
  if (configuration.board) estimate.usable_gib = usable_memory_gib(*configuration.board);
  const MemoryJob job = memory_job(workload, configuration);
  const PlanPoint point = point_of(plan);
  if (job.kind == JobKind::nothing || (job.kind != JobKind::sized && job.shape.parameters <= 0 && !job.measured)) return estimate;
  const MemoryBytes bytes = memory_bytes(job, point);
  estimate.basis = !bytes.activations_known ? "lower_bound" : job.measured && !job.measured->inferred ? "measured" : "formula";
  if (bytes.upcast > 0) estimate.upcast_gib = bytes.upcast / gib;
  if (job.diffusion) estimate.frames = job.frames;
  if (job.sample_share > 0) estimate.sample_share = job.sample_share;
  estimate.single_gpu = job.measured && job.measured->single_gpu;
  estimate.states_gib = bytes.states() / gib;
  estimate.fixed_gib = fixed_bytes(job, bytes) / gib;
  estimate.run_gib = run_bytes(job, bytes) / gib;
  estimate.load_gib = bytes.load() / gib;
  estimate.peak_gib = peak_bytes(job, bytes) / gib;
  estimate.host_gib = bytes.host / gib;
  if (const double written = job.kind == JobKind::training ? checkpoint_bytes(job) : 0; written > 0) estimate.checkpoint_gib = written / gib;
  if (bytes.largest_allocation > 0) estimate.largest_allocation_gib = bytes.largest_allocation / gib;
  add_phases(job, bytes, estimate);
  add_breakdown(bytes, estimate);
  add_kv_room(job, bytes, estimate);
  if (estimate.usable_gib && *estimate.peak_gib > *estimate.usable_gib) {
    estimate.failing_phase = fullest_phase(estimate);
    estimate.failing_allocation = failing_allocation(bytes, estimate.failing_phase);
  }
  return estimate;
}

}  // namespace steelyard
