// Parameters from the shape of a transformer. Checked against the published sizes of the shipped models in test/data/catalog.
#include <steelyard/model.hpp>

namespace steelyard {

namespace {

/// Output width of one head's values under latent attention, where it differs from the keys' (DeepSeek V2, V3: 192 - 64 = 128).
double attention(const Model& model) {
  const double hidden = *model.hidden, heads = *model.heads;
  const double head = model.head_dim.value_or(*model.hidden / *model.heads);
  if (!model.kv_lora_rank) return 2 * hidden * head * (heads + model.kv_heads.value_or(*model.heads));
  const double rank = *model.kv_lora_rank, rope = model.rope_head_dim.value_or(0), plain = head - rope;
  const double query = model.q_lora_rank ? *model.q_lora_rank * (hidden + heads * head) : hidden * heads * head;
  return query + hidden * (rank + rope) + rank * heads * 2 * plain + heads * plain * hidden;
}

struct Layers {
  double dense = 0, mixed = 0;
};

double parameters(const Model& model, bool active) {
  const double hidden = *model.hidden, layers = *model.layers, matrices = model.gated_mlp.value_or(true) ? 3 : 2;
  Layers kinds{layers, 0};
  if (model.experts > 0) kinds = {static_cast<double>(model.first_dense_layers), layers - model.first_dense_layers};
  const double expert = matrices * hidden * model.moe_ffn.value_or(model.ffn.value_or(0));
  const double used = active ? model.experts_per_token : model.experts;
  const double dense = matrices * hidden * model.ffn.value_or(0);
  const double feed = kinds.dense * dense + kinds.mixed * (expert * (used + model.shared_experts) + hidden * model.experts);
  const double norms = layers * 2 * hidden + hidden;
  const double embeddings = model.vocab.value_or(0) * hidden * (model.tied_embeddings.value_or(false) ? 1 : 2);
  return (layers * attention(model) + feed + norms + embeddings) / 1e9;
}

bool complete(const Model& model) {
  const bool feed = model.experts > 0 ? model.moe_ffn || model.ffn : model.ffn.has_value();
  return model.layers && model.hidden && model.heads && model.vocab && feed;
}

}  // namespace

std::optional<double> parameters_b(const Model& model) { return complete(model) ? std::optional(parameters(model, false)) : std::nullopt; }

std::optional<double> active_parameters_b(const Model& model) { return complete(model) ? std::optional(parameters(model, true)) : std::nullopt; }

}  // namespace steelyard
