// Hugging Face config.json. Source: configuration classes of transformers (2026-10).
#include <algorithm>

#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

// Families whose feed-forward has a gate, and those that have none.
constexpr const char* gated_types[] = {
    "llama",       "mistral", "mixtral",     "qwen2",       "qwen2_moe",    "qwen3",    "qwen3_moe",  "gemma",    "gemma2",     "gemma3",
    "gemma3_text", "phi3",    "deepseek_v2", "deepseek_v3", "glm",          "glm4",     "internlm2",  "baichuan", "yi",         "cohere",
    "olmo2",       "granite", "gpt_oss",     "llama4_text", "deepseek_v32", "glm4_moe", "minimax_m2", "qwen2_vl", "qwen2_5_vl", "qwen3_next"};
constexpr const char* plain_types[] = {"gpt2", "gpt_neox", "gptj",       "gpt_bigcode", "opt",     "bloom",   "falcon",
                                       "phi",  "mpt",      "starcoder2", "bert",        "roberta", "nemotron"};

template <std::size_t N>
bool one_of(const char* const (&words)[N], const std::string& word) {
  return std::any_of(std::begin(words), std::end(words), [&](const char* one) { return word == one; });
}

void first_count(Sayings& said, const std::string& prefix, std::initializer_list<const char*> keys, const char* field) {
  for (const char* key : keys) {
    if (said.has(prefix + key)) return said.count(prefix + key, field);
  }
}

void take_gate(Sayings& said, const std::string& prefix) {
  const std::string key = said.has(prefix + "model_type") ? prefix + "model_type" : "model_type";
  const std::string type = said.word(key).value_or("");
  if (one_of(gated_types, type)) return said.take(key, "model.gated_mlp", true);
  if (one_of(plain_types, type)) return said.take(key, "model.gated_mlp", false);
  said.leave_open(key, "whether the feed-forward of a '" + type + "' has a gate is not known here; it counts as gated");
}

void take_experts(Sayings& said, const std::string& prefix) {
  first_count(said, prefix, {"num_local_experts", "n_routed_experts", "num_experts"}, "model.experts");
  first_count(said, prefix, {"num_experts_per_tok", "num_experts_per_token", "experts_per_token"}, "model.experts_per_token");
  first_count(said, prefix, {"moe_intermediate_size"}, "model.moe_ffn");
  first_count(said, prefix, {"n_shared_experts"}, "model.shared_experts");
  first_count(said, prefix, {"first_k_dense_replace"}, "model.first_dense_layers");
}

void take_attention(Sayings& said, const std::string& prefix) {
  first_count(said, prefix, {"num_attention_heads", "n_head", "n_heads"}, "model.heads");
  first_count(said, prefix, {"num_key_value_heads", "n_head_kv", "num_kv_heads"}, "model.kv_heads");
  first_count(said, prefix, {"kv_lora_rank"}, "model.kv_lora_rank");
  first_count(said, prefix, {"q_lora_rank"}, "model.q_lora_rank");
  first_count(said, prefix, {"qk_rope_head_dim"}, "model.rope_head_dim");
  const auto plain = said.number(prefix + "qk_nope_head_dim"), rope = said.number(prefix + "qk_rope_head_dim");
  if (plain && rope) return said.take(prefix + "qk_nope_head_dim", "model.head_dim", static_cast<std::int64_t>(*plain + *rope));
  first_count(said, prefix, {"head_dim"}, "model.head_dim");
}

void take_weights(Sayings& said, const std::string& prefix) {
  for (const std::string& key : {prefix + "torch_dtype", prefix + "dtype", std::string("torch_dtype"), std::string("dtype")}) {
    const auto dtype = said.word(key);
    if (!dtype) continue;
    if (const auto word = precision_word(*dtype)) said.take(key, "weights.precision", *word);
    break;
  }
  const auto method = said.word("quantization_config.quant_method");
  if (!method) return;
  if (*method == "awq" || *method == "gptq" || *method == "fp8" || *method == "mxfp4") {
    said.take("quantization_config.quant_method", "quantization", *method);
  } else {
    said.leave_open("quantization_config.quant_method", "no word here for weights stored by '" + *method + "'");
  }
}

}  // namespace

bool is_hf_config(const Sayings& said) {
  const bool shaped = said.has("num_hidden_layers") || said.has("n_layer") || said.has("n_layers") || said.has("text_config.num_hidden_layers");
  return shaped && (said.has("model_type") || said.has("architectures") || said.has("hidden_size"));
}

void read_hf_config(Sayings& said) {
  const std::string prefix = said.has("text_config.num_hidden_layers") ? "text_config." : "";
  first_count(said, prefix, {"num_hidden_layers", "n_layer", "n_layers"}, "model.layers");
  first_count(said, prefix, {"hidden_size", "n_embd", "d_model"}, "model.hidden");
  first_count(said, prefix, {"intermediate_size", "n_inner", "ffn_dim"}, "model.ffn");
  first_count(said, prefix, {"vocab_size"}, "model.vocab");
  first_count(said, prefix, {"max_position_embeddings", "n_positions"}, "model.max_sequence");
  take_attention(said, prefix);
  take_experts(said, prefix);
  take_gate(said, prefix);
  take_weights(said, prefix);
  for (const std::string& key : {prefix + "tie_word_embeddings", std::string("tie_word_embeddings")}) {
    const auto tied = said.flag(key);
    if (!tied) continue;
    said.take(key, "model.tied_embeddings", *tied);
    break;
  }
  if (const auto name = said.word("_name_or_path"); name && name->find('/') != std::string::npos) take_model_name(said, "_name_or_path");
  if (said.has("vision_config.hidden_size") || said.has("vision_config.model_type")) said.take("model_type", "model.kind", "vlm");
  // Everything else of such a file describes numerics and tokens.
  said.ignore({"*"});
}

}  // namespace steelyard::habits
