// Memory of one job under one plan, in bytes, on the fullest GPU.
#pragma once

#include <algorithm>
#include <cmath>

#include "estimate/memory/job.hpp"

namespace steelyard::estimate {

struct MemoryBytes {
  double weights = 0, gradients = 0, optimizer = 0;  // the states
  double reference = 0;                              // frozen models beside the trained one, and encoders
  double alone = 0;                                  // a model that has the GPU to itself while the others of the job wait in host memory
  double activations = 0, logits = 0;
  double gathered = 0, buckets = 0, temporary = 0;  // layers held whole, communication buckets, gradients on their way
  double partition = 0;                             // fp32 copy of one partition that the optimizer step asks for
  double kv_cache = 0, graphs = 0, context = 0;
  double rollout = 0;    // weights and cache of the model that generates, beside the resident states
  double load_copy = 0;  // a whole copy that stands before it is sharded
  double largest_allocation = 0;
  double upcast = 0;    // what embeddings of a quantised base in 32 bits would add
  double host = 0;      // per node
  double kv_token = 0;  // bytes one more cached token takes
  bool activations_known = true;

  double states() const { return std::max(weights + gradients + optimizer + reference, alone); }
  double load() const { return std::max({load_copy, weights + reference, alone}) + context; }
  double first_forward() const { return weights + reference + activations + logits + gathered + context; }
  double backward_peak() const { return states() + activations + logits + gathered + buckets + temporary + context; }
  double first_step() const { return states() + partition + context; }
  double checkpoint() const { return states() + gathered + context; }
  double rollout_peak() const { return rollout > 0 ? states() + rollout + context : 0; }
  double serving() const { return std::max(weights + reference + kv_cache + activations + logits + graphs, alone) + context; }
};

/// One training step: the fullest pipeline stage.
MemoryBytes training_bytes(const MemoryJob& job, const PlanPoint& point);
/// A served language model: the fullest stage, with the least KV cache that lets the engine start.
MemoryBytes serving_bytes(const MemoryJob& job, const PlanPoint& point);
/// A forward pass of another model.
MemoryBytes forward_bytes(const MemoryJob& job, const PlanPoint& point);
/// Whatever the job is.
MemoryBytes memory_bytes(const MemoryJob& job, const PlanPoint& point);
/// What all GPUs of a training job write at a checkpoint, once: trained weights and their optimizer states. 0 where the model's size is not known.
double checkpoint_bytes(const MemoryJob& job);
/// Largest of the job's phases.
double peak_bytes(const MemoryJob& job, const MemoryBytes& bytes);
/// The same without the loading of weights.
double run_bytes(const MemoryJob& job, const MemoryBytes& bytes);

/// Layers and parameters of a pipeline stage, before tensor and expert parallelism divide them.
struct StageParameters {
  double layers = 0, expert_layers = 0;
  double common = 0;     // attention, dense feed-forward, shared experts, embedding, output layer
  double experts = 0;    // routed experts
  double embedding = 0;  // part of `common`

  friend bool operator==(const StageParameters&, const StageParameters&) = default;
};
StageParameters stage_parameters(const Shape& shape, int stages, int stage);

/// Bytes that one token keeps in one layer for the backward pass, before parallelism divides them (no recomputation).
double layer_activation_bytes(const MemoryJob& job, bool with_experts);
/// Parameters of LoRA adapters on the given layers.
double lora_parameters(const MemoryJob& job, const StageParameters& stage);

}  // namespace steelyard::estimate
