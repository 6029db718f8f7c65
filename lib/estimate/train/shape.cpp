#include "estimate/train/shape.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::estimate {

namespace {

/// Layers and hidden size of a usual transformer of that many parameters: hidden = 115 x layers (7B: 128, 70B: 102, 405B: 130) in 12 layers hidden^2.
void assume_size(const Model& model, double params, TransformerShape& out) {
  constexpr double hidden_per_layer = 115;
  out.layers = model.layers ? *model.layers : std::max(1.0, std::round(std::cbrt(params / (12 * hidden_per_layer * hidden_per_layer))));
  out.hidden = model.hidden ? *model.hidden : std::max(64.0, 64 * std::round(std::sqrt(params / (12 * out.layers)) / 64));
  out.assumed = true;
}

void set_attention(const Model& model, TransformerShape& out) {
  const double h = out.hidden;
  out.heads = model.heads.value_or(static_cast<int>(std::max(1.0, h / 128)));
  const double head_dim = model.head_dim ? *model.head_dim : h / out.heads;
  const double kv_heads = model.kv_heads.value_or(static_cast<int>(out.heads));
  out.key_dim = out.value_dim = head_dim;
  if (!model.kv_lora_rank || *model.kv_lora_rank <= 0) {
    out.attention_out = (out.heads + 2 * kv_heads) * head_dim;
    out.attention_weights = h * (out.attention_out + out.heads * head_dim);
    return;
  }
  // Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434 section 2.1): keys carry a rotary part that values lack.
  const double rope = model.rope_head_dim.value_or(64), rank = *model.kv_lora_rank, query_rank = model.q_lora_rank.value_or(0);
  out.value_dim = head_dim > rope ? head_dim - rope : head_dim;
  const double queries = out.heads * head_dim, values = out.heads * out.value_dim;
  const double query_weights = query_rank > 0 ? query_rank * (h + queries) : h * queries;
  out.attention_out = queries + 2 * values;
  out.attention_weights = query_weights + h * (rank + rope) + rank * 2 * values + values * h;
}

void set_mlp(const Model& model, TransformerShape& out) {
  out.ffn_matrices = model.gated_mlp.value_or(model.experts > 0) ? 3 : 2;
  out.ffn = model.ffn ? *model.ffn : 4 * out.hidden * (out.ffn_matrices == 3 ? 2.0 / 3 : 1.0);
  if (model.experts <= 0) return;
  out.experts = model.experts;
  out.experts_per_token = std::max(1, model.experts_per_token);
  out.moe_ffn = model.moe_ffn ? *model.moe_ffn : out.ffn;
  out.shared_ffn = model.shared_experts * out.moe_ffn;
  out.moe_layers = std::max(0.0, out.layers - model.first_dense_layers);
}

double mlp_weights(const TransformerShape& s) {
  const double moe = s.ffn_matrices * s.hidden * (s.experts * s.moe_ffn + s.shared_ffn) + s.hidden * s.experts;
  return s.dense_layers() * s.dense_mlp_weights() + s.moe_layers * moe;
}

}  // namespace

double TransformerShape::weight_flops_per_token() const {
  const double moe = ffn_matrices * hidden * (experts_per_token * moe_ffn + shared_ffn) + hidden * experts;
  return 6 * (layers * attention_weights + dense_layers() * dense_mlp_weights() + moe_layers * moe + vocab * hidden);
}

std::optional<TransformerShape> transformer_shape(const Model& model) {
  const double params = model.params_b.value_or(0) * 1e9;
  if (!(model.layers && model.hidden) && params <= 0) return std::nullopt;
  TransformerShape out;
  if (model.layers && model.hidden) {
    out.layers = *model.layers;
    out.hidden = *model.hidden;
  } else {
    assume_size(model, params, out);
  }
  if (out.layers < 1 || out.hidden < 1) return std::nullopt;
  out.vocab = model.vocab.value_or(32000);
  set_attention(model, out);
  set_mlp(model, out);
  const double embeddings = out.vocab * out.hidden * (model.tied_embeddings.value_or(false) ? 1 : 2);
  // A stated count of a model cut to fewer layers would be the full one's: what the shape says comes first where the shape is whole.
  const double counted = embeddings + out.layers * out.attention_weights + mlp_weights(out);
  out.params = params > 0 ? params : counted;
  out.expert_params = out.moe_layers * out.experts * out.ffn_matrices * out.hidden * out.moe_ffn;
  out.expert_params = std::min(out.expert_params, 0.99 * out.params);
  return out;
}

}  // namespace steelyard::estimate
