// Constants of the memory model: data/efficiency/memory.yaml.
#pragma once

#include <map>
#include <optional>
#include <steelyard/issue.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "load/node.hpp"

namespace steelyard::estimate {

struct StoredFormat {
  double bytes = 2;
  bool whole = true;  // false: embeddings and output layer stay in 2 bytes
};

struct FrameworkMemory {
  double gradient_bytes = 2, logits_bytes = 10, gradient_temporary_bytes = 0;
  bool partition = true;  // the optimizer step asks for one fp32 partition
  bool dropout = true;
  bool expert_parallel = false;  // spreads experts over GPUs
  std::map<std::string, double> weight_bytes;
};

struct EngineMemory {
  double graph_gib = 0, prefill_tokens = 8192, max_sequences = 256;
  std::optional<double> context_gib;
  bool embedding_on_host = false;
  std::map<std::string, double> kv_bytes;
};

struct SlidingWindow {
  std::vector<std::string> models;
  double share = 0, window = 0;
};

/// Measured memory of a model outside the transformer formulas: base + figure x units ^ exponent, in GiB.
struct MeasuredMemory {
  std::vector<std::string> models;
  std::string use, unit;
  double figure = 0, unrecomputed_figure = 0, exponent = 1, base_gib = 0, frozen_gib = 0, capability = 0;
  double largest_frozen_gib = 0;      // of the frozen models, the one that needs most
  double inference_figure = 0;        // diffusion: `figure` of a denoising pass, where that of training is more
  double decode_figure = 0;           // diffusion: of the decoder working on the whole image; 0: in tiles, or not known
  double frames = 1, megapixels = 0;  // diffusion: of the sample that was measured; 0 megapixels: not said
  double allocation_figure = 0, allocation_exponent = 1;
  bool single_gpu = false;
  bool inferred = false;  // from other models, where none of this one is published
};

struct MemoryLaw {
  double context_gib = 0, gated_bytes_per_hidden = 0, gated_bytes_per_ffn = 0, plain_bytes_per_hidden = 0, plain_bytes_per_ffn = 0,
         dropout_bytes_per_hidden = 0, score_bytes = 0, unsharded_bytes_per_hidden = 0, checkpoint_bytes_per_hidden = 0, recompute_layer_factor = 0,
         routed_bytes_per_hidden = 0, gathered_layers = 0, reduce_bucket_elements = 0, reduce_buckets = 0, lora_state_bytes = 0,
         frozen_trained_layers = 0, offload_host_gib_per_gpu = 0, data_host_gib_per_gpu = 0, serving_activation_factor = 0, vision_patch_px = 0,
         vision_bytes_per_patch = 0, unrecomputed_factor = 0, usual_sequence_length = 0, usual_input_tokens = 0, usual_output_tokens = 0,
         fused_attention_capability = 0, unshaped_layer_share = 0, encoder_logits_share = 0, clip_bytes_per_hidden = 0,
         diffusion_gib_per_megapixel_and_billion = 0;
  std::map<std::string, StoredFormat, std::less<>> formats;
  std::map<std::string, double, std::less<>> optimizer_bytes;
  std::map<std::string, FrameworkMemory, std::less<>> frameworks;
  std::map<std::string, EngineMemory, std::less<>> engines;
  std::vector<std::string> fused_loss_packages;
  std::vector<SlidingWindow> sliding_windows;
  std::vector<MeasuredMemory> measured;

  /// The format of that name; 16 bits where the name is empty or not known.
  StoredFormat format(std::string_view name) const;
  const FrameworkMemory& framework(std::string_view name) const;
  const EngineMemory& engine(std::string_view name) const;
};

/// True where one of the beginnings starts the name, without regard to case.
bool names_model(const std::vector<std::string>& beginnings, std::string_view name);

Loaded<MemoryLaw> read_memory_law(const load::Document& document);
/// The law that is compiled into the library.
const MemoryLaw& memory_law();

}  // namespace steelyard::estimate
