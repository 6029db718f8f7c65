// Models to train or to serve: sizes and shapes that memory and time follow from.
#pragma once

#include <optional>
#include <steelyard/board.hpp>
#include <string>
#include <vector>

namespace steelyard {

/// Shape of a model. Empty means "not known" (or "has none", as said). Counts are per model, sizes in elements.
struct Model {
  std::string id;  // "meta-llama/Meta-Llama-3-70B"; empty for one written out in a workload
  std::string family;
  std::string kind;  // "llm" "llm-moe" "vlm" "vision" "vision-3d" "diffusion" "speech" "science" ...
  std::vector<std::string> aliases;
  std::optional<double> params_b;         // 1e9 parameters, all
  std::optional<double> params_active_b;  // 1e9 parameters a token passes through
  std::optional<double> csi_params_b;     // figure the communication index takes, where it differs
  std::optional<int> layers, hidden, heads, kv_heads, head_dim, ffn, vocab, max_sequence;
  std::optional<bool> gated_mlp, tied_embeddings;
  std::string attention;                                                               // "MHA" "GQA" "MQA" "MLA"
  int experts = 0, experts_per_token = 0, shared_experts = 0, first_dense_layers = 0;  // 0: dense
  std::optional<int> moe_ffn;                                                          // hidden size of one expert
  std::optional<int> kv_lora_rank, q_lora_rank, rope_head_dim;                         // multi-head latent attention
  std::optional<double> kv_bytes_per_token_bf16;                                       // whole model
  std::optional<double> forward_gflop_per_sample;                                      // 1e9 op, one forward pass of one sample (vision)
  std::string stored_format;                                                           // of the published weights: "fp8" "mxfp4"; empty = 16 bits
  std::string stored_part;                                                             // "experts": only those; empty = all matrices
  std::optional<int> stored_block;                                                     // edge of the square blocks that share a scale
  std::string params_basis;                                                            // how params_b is known
  std::vector<Source> sources;
  SourceLocation where;
};

/// 1e9 parameters that follow from the shape: attention (grouped or latent), feed-forward or experts, router, norms, embeddings.
/// Empty where layers, hidden, heads, ffn or vocab are not known. Missing kv_heads count as heads, missing flags as gated and untied.
std::optional<double> parameters_b(const Model& model);
/// The same for the parameters that one token passes through.
std::optional<double> active_parameters_b(const Model& model);

}  // namespace steelyard
