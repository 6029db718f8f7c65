#include <algorithm>

#include "estimate/memory/bytes.hpp"

namespace steelyard::estimate {

namespace {

// Layers that come before a stage when the first stages take the remainder.
double layers_before(double layers, int stages, int stage) {
  const double each = std::floor(layers / stages);
  return each * stage + std::min<double>(stage, layers - each * stages);
}

double attention_width(const Shape& shape) { return shape.heads * shape.head_dim; }

}  // namespace

StageParameters stage_parameters(const Shape& shape, int stages, int stage) {
  StageParameters part;
  if (!shape.transformer) {
    part.common = shape.parameters / stages;
    return part;
  }
  const double first = layers_before(shape.layers, stages, stage);
  const double last = layers_before(shape.layers, stages, stage + 1);
  part.layers = last - first;
  part.expert_layers = shape.experts > 0 ? last - std::max(first, std::min(shape.dense_layers, last)) : 0;
  part.embedding = (stage == 0 ? shape.embedding : 0) + (stage == stages - 1 ? shape.head : 0);
  // A tied output layer needs the embedding on the last stage too.
  if (stages > 1 && stage == stages - 1 && shape.head == 0) part.embedding += shape.embedding;
  part.common = (part.layers - part.expert_layers) * shape.layer_common(false) + part.expert_layers * shape.layer_common(true) + part.embedding;
  part.experts = part.expert_layers * shape.layer_experts();
  return part;
}

double layer_activation_bytes(const MemoryJob& job, bool with_experts) {
  const MemoryLaw& law = *job.law;
  const Shape& shape = job.shape;
  const double masks = job.framework->dropout ? law.dropout_bytes_per_hidden : 0;
  const double per_hidden = shape.gated ? law.gated_bytes_per_hidden : law.plain_bytes_per_hidden + masks;
  const double per_ffn = shape.gated ? law.gated_bytes_per_ffn : law.plain_bytes_per_ffn;
  double bytes = per_hidden * shape.hidden + per_ffn * shape.active_ffn(with_experts);
  if (with_experts) bytes += law.routed_bytes_per_hidden * shape.hidden * shape.experts_per_token;
  if (shape.latent_attention) {
    // Queries, keys, values and outputs in 2 bytes are wider than the hidden size that the first term covers with 4 of them.
    const double widths = 2 * attention_width(shape) + 2 * shape.heads * (shape.head_dim - shape.rope_dim);
    bytes += 2 * std::max(0.0, widths - 4 * shape.hidden);
  }
  return job.fused_attention ? bytes : bytes + law.score_bytes * shape.heads * job.sequence;
}

double lora_parameters(const MemoryJob& job, const StageParameters& stage) {
  const Shape& shape = job.shape;
  if (!shape.transformer) return 0;
  const double width = attention_width(shape), kv_width = shape.kv_heads * shape.head_dim;
  const double query_value = (shape.hidden + width) + (shape.hidden + kv_width);
  if (!job.lora_all_linear) return job.lora_rank * query_value * stage.layers;
  const double matrices = shape.gated ? 3 : 2;
  const double attention = 2 * query_value;  // query, key, value, output
  const double dense = matrices * (shape.hidden + shape.ffn);
  const double experts = matrices * (shape.hidden + shape.expert_ffn) * (shape.experts + shape.shared_experts);
  return job.lora_rank * (stage.layers * attention + (stage.layers - stage.expert_layers) * dense + stage.expert_layers * experts);
}

}  // namespace steelyard::estimate
