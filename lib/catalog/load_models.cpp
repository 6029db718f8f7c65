#include "catalog/loaders.hpp"
#include "catalog/sources.hpp"

namespace steelyard::catalog {

namespace {

using load::Fields;

void set(std::optional<int>& slot, Fields& fields, const char* key, int least = 1) {
  if (const auto value = fields.integer(key, least, 1'000'000'000)) slot = value;
}

void set(std::optional<double>& slot, Fields& fields, const char* key, double most) {
  if (const auto value = fields.number(key, 0, most)) slot = value;
}

void set(std::optional<bool>& slot, Fields& fields, const char* key) {
  if (const auto value = fields.flag(key)) slot = value;
}

void set(int& slot, Fields& fields, const char* key) {
  if (const auto value = fields.integer(key, 0, 1'000'000)) slot = *value;
}

}  // namespace

void read_model_facts(Fields& fields, Model& model) {
  set(model.params_b, fields, "params_b", 1e6);
  set(model.params_active_b, fields, "params_active_b", 1e6);
  set(model.csi_params_b, fields, "csi_params_b", 1e6);
  set(model.layers, fields, "layers");
  set(model.hidden, fields, "hidden");
  set(model.heads, fields, "heads");
  set(model.kv_heads, fields, "kv_heads");
  set(model.head_dim, fields, "head_dim");
  set(model.ffn, fields, "ffn");
  set(model.vocab, fields, "vocab");
  set(model.max_sequence, fields, "max_sequence");
  set(model.gated_mlp, fields, "gated_mlp");
  set(model.tied_embeddings, fields, "tied_embeddings");
  if (const auto attention = fields.word("attention", {"MHA", "GQA", "MQA", "MLA"})) model.attention = *attention;
  set(model.experts, fields, "experts");
  set(model.experts_per_token, fields, "experts_per_token");
  set(model.shared_experts, fields, "shared_experts");
  set(model.first_dense_layers, fields, "first_dense_layers");
  set(model.moe_ffn, fields, "moe_ffn");
  set(model.kv_lora_rank, fields, "kv_lora_rank");
  set(model.q_lora_rank, fields, "q_lora_rank");
  set(model.rope_head_dim, fields, "rope_head_dim");
  set(model.kv_bytes_per_token_bf16, fields, "kv_bytes_per_token_bf16", 1e12);
  set(model.forward_gflop_per_sample, fields, "forward_gflop_per_sample", 1e12);
  if (const auto format = fields.text("stored_format")) model.stored_format = *format;
  if (const auto part = fields.word("stored_part", {"experts"})) model.stored_part = *part;
  set(model.stored_block, fields, "stored_block");
}

Loaded<std::vector<Model>> load_models(const load::Document& document) {
  Loaded<std::vector<Model>> loaded{std::vector<Model>(), {}};
  Fields file(document, document.root, loaded.issues, "model file");
  const Sources sources = read_sources(file);
  if (const load::Node* list = file.node("models")) {
    each_map(document, *list, loaded.issues, "model", [&](Fields& fields) {
      Model& model = loaded.value->emplace_back();
      model.where = fields.where();
      model.id = fields.required_text("id");
      model.family = fields.text("family").value_or("");
      model.kind = fields.required_text("kind");
      model.aliases = fields.texts("aliases");
      model.params_basis = fields.text("params_basis").value_or("");
      read_model_facts(fields, model);
      model.sources = named_sources(fields, sources);
      fields.finish();
    });
  } else {
    file.fault("models", "model file: models is missing", "add `models:` with a list of models");
  }
  file.finish();
  if (has_errors(loaded.issues)) loaded.value.reset();
  return loaded;
}

}  // namespace steelyard::catalog
