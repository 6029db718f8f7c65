// Parameter counts of a transformer from its shape, and what is inferred where a field is missing.
#pragma once

#include <steelyard/model.hpp>

namespace steelyard::estimate {

/// A model's shape with every gap filled, and the parameters that follow. Counts are per model unless said, parameters in elements.
struct Shape {
  bool transformer = false;  // layers, hidden, heads and feed-forward size are known, so counts per layer are too
  double layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0, vocab = 0;
  bool gated = true, tied = false;
  double experts = 0, experts_per_token = 0, shared_experts = 0, expert_ffn = 0, dense_layers = 0;  // dense_layers: those without experts
  bool latent_attention = false;                                                                    // one compressed key-value vector a token (MLA)
  double kv_lora_rank = 0, q_lora_rank = 0, rope_dim = 0;

  // Parameters of one layer's parts. Scaled so that they add up to `parameters` where the model states a total.
  double attention = 0, dense_mlp = 0, one_expert = 0, router = 0, norms = 0;
  double embedding = 0, head = 0;  // head 0: tied to the embedding
  double parameters = 0;           // all; 0 = not known
  double counted = 0;              // what the shape alone says; 0 = not known

  double expert_layers() const { return experts > 0 ? layers - dense_layers : 0; }
  /// Parameters of a layer that every token passes (with experts: shared ones and the router), and those of its routed experts.
  double layer_common(bool with_experts) const { return attention + norms + (with_experts ? shared_experts * one_expert + router : dense_mlp); }
  double layer_experts() const { return experts * one_expert; }
  /// Parameters that one token passes through.
  double active() const;
  /// Feed-forward width that one token passes in a layer with or without experts.
  double active_ffn(bool with_experts) const { return with_experts ? expert_ffn * (experts_per_token + shared_experts) : ffn; }
  /// Key and value bytes of one token in all layers at 2 bytes an element (multi-head latent attention: the compressed vector).
  double kv_bytes_per_token() const;
};

/// The shape of a model. Where `gated_mlp` or `tied_embeddings` are not stated, the choice that comes nearest to `params_b` is taken.
Shape shape_of(const Model& model);

}  // namespace steelyard::estimate
