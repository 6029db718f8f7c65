// Diffusion models as their time law sees them: data/efficiency/diffusion_models.yaml.
#pragma once

#include <optional>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

namespace steelyard::estimate {

/// The denoising network. Operations count one forward pass over one sample.
struct DiffusionModel {
  std::vector<std::string> names;  // as keys (name_key)
  bool unet = false;               // convolutions with attention between; else a transformer over patches
  double params = 0;
  double native_px = 0, native_frames = 1;  // of a sample where the workload states none
  double flop = 0, attention_share = 0;     // unet: at `native_px`; attention on top, growing with the square of the pixels
  double token_params = 0;                  // transformer: weights that one token passes
  double layers = 0, hidden = 0, text_tokens = 0, token_px = 256, token_frames = 1;
  double blocks = 0;                  // launched one after the other
  double steps = 0, evaluations = 1;  // denoising steps; forward passes a step and sample
  bool listed = true;                 // false: derived from the catalog's sizes

  /// Operations of one forward pass over one sample: 2 a weight and token, 4 s^2 h a layer of attention (no causal mask).
  double forward_flop(double px, double frames) const;
  /// Frames of the encoded sample: a token covers `token_frames` of them, the first one stands alone.
  double latent_frames(double frames) const;
};

/// The model of a workload: a listed one, else what the catalog's sizes tell. Empty where neither parameters nor layers and width are known.
std::optional<DiffusionModel> diffusion_model(const Workload& workload);

/// Operations of the image decoder for one pixel.
double decode_flop_per_px();
/// Rate at which offloaded weights come from host memory.
double offload_bytes_per_s();

}  // namespace steelyard::estimate
