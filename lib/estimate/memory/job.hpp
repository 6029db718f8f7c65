// What the memory of a job depends on, gathered once; and a plan in the form that formulas take.
#pragma once

#include <steelyard/configuration.hpp>
#include <steelyard/estimate.hpp>
#include <steelyard/workload.hpp>

#include "estimate/memory/law.hpp"
#include "estimate/memory/shape.hpp"

namespace steelyard::estimate {

enum class Sharding : unsigned char { none, ddp, zero1, zero2, zero3, fsdp, hsdp };
enum class Recompute : unsigned char { none, selective, full };
enum class Offload : unsigned char { none, optimizer, parameters, sequential };
enum class Method : unsigned char { full, lora, qlora, freeze };
enum class JobKind : unsigned char { nothing, sized, training, serving, forward };

Sharding sharding_of(std::string_view word);
Recompute recompute_of(std::string_view word);
Offload offload_of(std::string_view word);
inline bool shards_weights(Sharding sharding) { return sharding >= Sharding::zero3; }

/// A plan as numbers.
struct PlanPoint {
  int tensor = 1, pipeline = 1, context = 1, expert = 1, virtual_pipeline = 1, data = 1, micro = 1, accumulation = 1, shard_group = 0,
      recomputed_layers = 0;
  bool sequence_parallel = false;
  Sharding sharding = Sharding::none;
  Recompute recompute = Recompute::none;
  Offload offload = Offload::none;
};
PlanPoint point_of(const Plan& plan);

/// Everything about a job that no plan changes. Bytes are per parameter.
struct MemoryJob {
  JobKind kind = JobKind::nothing;
  Method method = Method::full;
  Shape shape;
  const MemoryLaw* law = nullptr;
  const FrameworkMemory* framework = nullptr;
  const EngineMemory* engine = nullptr;
  std::optional<MeasuredMemory> measured;
  double weight_bytes = 2, gradient_bytes = 2, optimizer_bytes = 12;             // of trained parameters
  double stored_bytes = 2, stored_expert_bytes = 2, stored_embedding_bytes = 2;  // of frozen and of served ones
  int stored_block = 0;                                                          // edge of the blocks of served weights that share a scale; 0: none
  double lora_rank = 0;
  bool lora_all_linear = true;
  double extra_trained = 0, extra_frozen = 0;  // parameters of further models of the job (critic, reference, reward)
  double rollout_parameters = 0;               // of the model that generates inside a reinforcement-learning job
  double sequence = 0, logits_bytes = 0;
  bool fused_attention = true;
  double units = 0;  // what `measured` counts, per sample
  bool diffusion = false;
  double frames = 1, sample_share = 0;  // diffusion: of one sample; what one pass makes over the sample measured, 0 = none was
  double encoder_patches = 0;           // of a vision encoder, per sample
  double kv_token_bytes = 0, least_kv_tokens = 0;
  double prefill_tokens = 0, sequences = 0;
  double input_tokens = 0, output_tokens = 0, concurrency = 0;  // of requests; concurrency 0: as many as fit
  double sized_gib = 0;                                         // of a job without a model, all GPUs together
  bool full_load = false;
  int gpus_per_node = 1, gpus = 1;
};

MemoryJob memory_job(const Workload& workload, const Configuration& configuration);

/// Sequence length that a training job takes: stated, or the usual one within the model's limit.
int sequence_length(const Workload& workload);
/// True where a task trains a model.
bool trains(std::string_view task);
/// True where a task serves a language model.
bool serves(std::string_view task);

}  // namespace steelyard::estimate
