// A transformer as the step law sees it: plain numbers, every gap filled.
#pragma once

#include <optional>
#include <steelyard/model.hpp>

namespace steelyard::estimate {

/// Sizes in elements, weights in parameters. All per model unless said otherwise.
struct TransformerShape {
  double layers = 0, hidden = 0, vocab = 0;
  double heads = 0, key_dim = 0, value_dim = 0;  // of the attention products
  double attention_weights = 0;                  // of one layer's projections
  double attention_out = 0;                      // widest output of those projections: queries, keys and values together
  double ffn = 0, ffn_matrices = 2;              // dense layers: width; 3 matrices where gated
  double moe_layers = 0, experts = 0, experts_per_token = 0, moe_ffn = 0, shared_ffn = 0;  // 0: dense
  double params = 0;                                                                       // all
  double expert_params = 0;                                                                // of the routed experts, all layers
  bool assumed = false;                                                                    // layers or widths were derived from the parameter count

  bool moe() const { return experts > 0; }
  double dense_layers() const { return layers - moe_layers; }
  double dense_mlp_weights() const { return ffn_matrices * hidden * ffn; }
  /// Forward and backward matrix products of one token, 6 per weight it passes (Kaplan et al. 2020, arXiv:2001.08361), without attention.
  double weight_flops_per_token() const;
  /// The causal attention products of one token at sequence length `s`, forward: 2 products x 2 x s/2 x heads x dim.
  double attention_flops_per_token(double s) const { return s * heads * (key_dim + value_dim) * layers; }
};

/// Empty where neither a shape nor a parameter count is known.
std::optional<TransformerShape> transformer_shape(const Model& model);

}  // namespace steelyard::estimate
