#include <algorithm>

#include "estimate/memory/bytes.hpp"

namespace steelyard::estimate {

namespace {

constexpr double gib = 1073741824.0;

MemoryBytes served_stage(const MemoryJob& job, const PlanPoint& point, int stage) {
  const StageParameters part = stage_parameters(job.shape, point.pipeline, stage);
  const double expert_split = std::max(point.expert, point.tensor);
  MemoryBytes bytes;
  const double on_host = stage == 0 && job.engine->embedding_on_host && !job.shape.tied ? job.shape.embedding : 0;
  const double embedding = part.embedding - on_host;
  bytes.weights = ((part.common - part.embedding) * job.stored_bytes + embedding * job.stored_embedding_bytes) / point.tensor +
                  part.experts * job.stored_expert_bytes / expert_split;
  // Heads are split over the tensor group as far as there are some; the compressed vector of latent attention stands on every GPU.
  const double head_split = job.shape.latent_attention ? 1 : std::min<double>(point.tensor, std::max(1.0, job.shape.kv_heads));
  bytes.kv_token = job.kv_token_bytes * (part.layers / job.shape.layers) / head_split;
  bytes.kv_cache = bytes.kv_token * job.least_kv_tokens;
  return bytes;
}

double forward_activations(const MemoryJob& job, const PlanPoint& point) {
  const bool experts = job.shape.expert_layers() > 0;
  const double feed_forward =
      4 * std::max(job.shape.active_ffn(experts), job.shape.dense_layers > 0 ? job.shape.ffn : 0) / point.tensor;  // gate and up in 2 bytes
  const double tokens = job.prefill_tokens * (job.law->serving_activation_factor * job.shape.hidden + feed_forward);
  return tokens + job.encoder_patches * job.law->vision_bytes_per_patch;
}

// How diffusers offloads (its guide, "Reduce memory usage"): `parameters` brings the models of a pipeline onto the GPU one at a time
// (enable_model_cpu_offload), `sequential` their layers (enable_sequential_cpu_offload). The rest waits in host memory, once a process.
void place_pipeline(const MemoryJob& job, const PlanPoint& point, MemoryBytes& bytes) {
  const double decode = job.measured->decode_figure * job.units * gib;
  if (point.offload != Offload::parameters) bytes.activations = std::max(bytes.activations, decode);
  if (point.offload < Offload::parameters) return;
  const double moved = bytes.weights + bytes.reference;
  bytes.host = std::min(job.gpus_per_node, job.gpus) * (moved + job.law->offload_host_gib_per_gpu * gib);
  bytes.reference = 0;
  if (point.offload == Offload::parameters)
    bytes.alone = std::max(job.measured->largest_frozen_gib * gib, decode);
  else
    bytes.weights *= job.law->unshaped_layer_share;
}

}  // namespace

MemoryBytes serving_bytes(const MemoryJob& job, const PlanPoint& point) {
  MemoryBytes fullest;
  for (int stage = 0; stage < point.pipeline; ++stage) {
    const MemoryBytes other = served_stage(job, point, stage);
    if (stage == 0 || other.weights + other.kv_cache > fullest.weights + fullest.kv_cache) fullest = other;
  }
  fullest.activations = forward_activations(job, point);
  fullest.logits = 4 * job.sequences * job.shape.vocab / point.tensor;
  fullest.graphs = job.engine->graph_gib * gib;
  fullest.context = job.engine->context_gib.value_or(job.law->context_gib) * gib;
  fullest.largest_allocation = std::max(fullest.kv_cache, fullest.logits);
  fullest.host = std::min(job.gpus_per_node, job.gpus) * job.law->data_host_gib_per_gpu * gib;
  return fullest;
}

MemoryBytes forward_bytes(const MemoryJob& job, const PlanPoint& point) {
  MemoryBytes bytes;
  bytes.context = job.law->context_gib * gib;
  bytes.weights = job.shape.parameters * job.stored_bytes / (double(point.tensor) * point.pipeline);
  bytes.host = job.law->data_host_gib_per_gpu * gib;
  if (!job.measured) {
    bytes.activations_known = false;
    return bytes;
  }
  const MeasuredMemory& measured = *job.measured;
  bytes.reference = measured.frozen_gib * gib;
  bytes.activations = (measured.base_gib + measured.figure * std::pow(job.units, measured.exponent) * point.micro) * gib;
  bytes.largest_allocation =
      measured.allocation_figure > 0 ? measured.allocation_figure * std::pow(job.units, measured.allocation_exponent) * gib : 0;
  if (job.diffusion) place_pipeline(job, point, bytes);
  return bytes;
}

MemoryBytes memory_bytes(const MemoryJob& job, const PlanPoint& point) {
  switch (job.kind) {
    case JobKind::training: return training_bytes(job, point);
    case JobKind::serving: return serving_bytes(job, point);
    case JobKind::forward: return forward_bytes(job, point);
    case JobKind::sized: {
      MemoryBytes bytes;
      bytes.weights = job.sized_gib * gib / job.gpus;
      bytes.context = job.law->context_gib * gib;
      return bytes;
    }
    case JobKind::nothing: break;
  }
  return {};
}

double run_bytes(const MemoryJob& job, const MemoryBytes& bytes) {
  if (job.kind != JobKind::training) return bytes.serving();
  return std::max({bytes.first_forward(), bytes.backward_peak(), bytes.first_step(), bytes.checkpoint(), bytes.rollout_peak()});
}

double peak_bytes(const MemoryJob& job, const MemoryBytes& bytes) {
  return job.kind == JobKind::training ? std::max(bytes.load(), run_bytes(job, bytes)) : bytes.serving();
}

}  // namespace steelyard::estimate
