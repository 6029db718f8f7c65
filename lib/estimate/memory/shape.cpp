#include "estimate/memory/shape.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::estimate {

namespace {

// Sizes of the published models with latent attention where a catalog states no ranks (DeepSeek-V2, arXiv 2405.04434, section 2.1).
constexpr double usual_rope_dim = 64;
constexpr double usual_kv_lora_rank = 512;

double attention_parameters(const Shape& shape) {
  const double query_width = shape.heads * shape.head_dim;
  if (!shape.latent_attention) return shape.hidden * (query_width + 2 * shape.kv_heads * shape.head_dim) + query_width * shape.hidden;
  const double content_dim = shape.head_dim - shape.rope_dim;  // values have the width of the content part of a key
  const double queries = shape.q_lora_rank > 0 ? shape.hidden * shape.q_lora_rank + shape.q_lora_rank * query_width : shape.hidden * query_width;
  const double keys = shape.hidden * (shape.kv_lora_rank + shape.rope_dim) + shape.kv_lora_rank * shape.heads * 2 * content_dim;
  return queries + keys + shape.heads * content_dim * shape.hidden;
}

void count(Shape& shape) {
  const double matrices = shape.gated ? 3 : 2;
  shape.attention = attention_parameters(shape);
  shape.dense_mlp = matrices * shape.hidden * shape.ffn;
  shape.one_expert = shape.experts > 0 ? matrices * shape.hidden * shape.expert_ffn : 0;
  shape.router = shape.experts * shape.hidden;
  // Gated models use RMSNorm without biases; the older ones LayerNorm and biases on all matrices (12 h^2 + 13 h a layer).
  shape.norms = shape.gated ? 2 * shape.hidden : 8 * shape.hidden + shape.ffn + shape.hidden;
  shape.embedding = shape.vocab * shape.hidden;
  shape.head = shape.tied ? 0 : shape.embedding;
  const double with_experts = shape.expert_layers();
  shape.counted = (shape.layers - with_experts) * shape.layer_common(false) + with_experts * (shape.layer_common(true) + shape.layer_experts()) +
                  shape.embedding + shape.head + shape.hidden;
}

void infer_ranks(const Model& model, Shape& shape) {
  shape.rope_dim = model.rope_head_dim.value_or(usual_rope_dim);
  const double cached = model.kv_bytes_per_token_bf16.value_or(0) / (2 * std::max(1.0, shape.layers));  // elements a layer
  shape.kv_lora_rank = model.kv_lora_rank ? *model.kv_lora_rank : cached > shape.rope_dim ? cached - shape.rope_dim : usual_kv_lora_rank;
  shape.q_lora_rank = model.q_lora_rank.value_or(0);
}

double distance(const Shape& shape, double parameters) { return std::abs(std::log(shape.counted / parameters)); }

// Tries what the model leaves open, and keeps what comes nearest to the stated total.
void fit_open_choices(const Model& model, Shape& shape) {
  const double stated = model.params_b.value_or(0) * 1e9;
  Shape best = shape;
  count(best);
  for (const bool gated : {true, false}) {
    for (const bool tied : {false, true}) {
      if (stated <= 0 || (model.gated_mlp && gated != *model.gated_mlp) || (model.tied_embeddings && tied != *model.tied_embeddings)) continue;
      Shape other = shape;
      other.gated = gated;
      other.tied = tied;
      count(other);
      if (distance(other, stated) < distance(best, stated) * 0.999) best = other;
    }
  }
  shape = best;
}

// A stated total outranks the count (biases, vision towers, multi-token heads): the layers take up the difference.
void scale_to_total(Shape& shape, double stated) {
  const double fixed = shape.embedding + shape.head;
  if (stated <= fixed || shape.counted <= fixed) return;
  const double factor = (stated - fixed) / (shape.counted - fixed);
  for (double* part : {&shape.attention, &shape.dense_mlp, &shape.one_expert, &shape.router, &shape.norms}) *part *= factor;
  shape.parameters = stated;
}

}  // namespace

double Shape::active() const {
  if (!transformer || experts <= 0) return parameters;
  const double with_experts = expert_layers();
  return (layers - with_experts) * layer_common(false) + with_experts * (layer_common(true) + experts_per_token * one_expert) + embedding + head;
}

double Shape::kv_bytes_per_token() const { return 2 * layers * (latent_attention ? kv_lora_rank + rope_dim : 2 * kv_heads * head_dim); }

Shape shape_of(const Model& model) {
  Shape shape;
  shape.parameters = model.params_b.value_or(0) * 1e9;
  shape.layers = model.layers.value_or(0);
  shape.hidden = model.hidden.value_or(0);
  shape.heads = model.heads.value_or(0);
  shape.kv_heads = model.kv_heads.value_or(model.heads.value_or(0));
  shape.head_dim = model.head_dim ? *model.head_dim : shape.heads > 0 ? shape.hidden / shape.heads : 0;
  shape.experts = model.experts;
  shape.expert_ffn = model.moe_ffn ? *model.moe_ffn : model.ffn.value_or(0);
  shape.ffn = model.ffn ? *model.ffn : shape.expert_ffn;
  shape.vocab = model.vocab.value_or(0);
  shape.gated = model.gated_mlp.value_or(true);
  shape.tied = model.tied_embeddings.value_or(false);
  shape.experts_per_token = model.experts_per_token;
  shape.shared_experts = model.shared_experts;
  shape.dense_layers = model.experts > 0 ? std::min<double>(model.first_dense_layers, shape.layers) : shape.layers;
  shape.latent_attention = model.attention == "MLA" || model.kv_lora_rank.has_value();
  shape.transformer = shape.layers > 0 && shape.hidden > 0 && shape.heads > 0 && shape.ffn > 0;
  if (shape.latent_attention) infer_ranks(model, shape);
  if (!shape.transformer) return shape;
  fit_open_choices(model, shape);
  if (shape.parameters <= 0)
    shape.parameters = shape.counted;
  else
    scale_to_total(shape, shape.parameters);
  return shape;
}

}  // namespace steelyard::estimate
