#include "estimate/diffusion/model.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::estimate {

namespace {

struct Shipped {
  std::vector<DiffusionModel> models;
  DiffusionModel usual;
  double token_share = 0, decode_flop_per_px = 0, offload_bytes_per_s = 0;
};

DiffusionModel read_model(load::Fields& fields, const DiffusionModel& usual) {
  DiffusionModel out = usual;
  out.listed = true;
  for (const std::string& name : fields.texts("names")) out.names.push_back(name_key(name));
  out.unet = fields.required_text("class") == "unet";
  out.params = 1e9 * fields.required_number("params_b", 0);
  out.native_px = fields.number("native_px", 1).value_or(usual.native_px);
  out.native_frames = fields.number("native_frames", 1).value_or(1);
  out.flop = 1e9 * fields.number("gflop", 0).value_or(0);
  out.attention_share = fields.number("attention_share", 0, 1).value_or(0);
  out.token_params = 1e9 * fields.number("token_parameters_b", 0).value_or(0);
  out.layers = fields.number("layers", 0).value_or(0);
  out.hidden = fields.number("hidden", 0).value_or(0);
  out.text_tokens = fields.number("text_tokens", 0).value_or(0);
  out.token_frames = fields.number("token_frames", 1).value_or(1);
  out.blocks = fields.required_number("blocks", 1);
  out.steps = fields.required_number("steps", 1);
  out.evaluations = fields.required_number("evaluations", 1, 3);
  return out;
}

void read_usual(const load::Document& document, const load::Node& node, Issues& issues, Shipped& out) {
  load::Fields fields(document, node, issues, "usual diffusion model");
  out.token_share = fields.required_number("token_share", 0, 1);
  out.usual.text_tokens = fields.required_number("text_tokens", 0);
  out.usual.steps = fields.required_number("steps", 1);
  out.usual.evaluations = fields.required_number("evaluations", 1, 3);
  out.usual.token_px = fields.required_number("token_px", 1);
  out.usual.native_px = fields.required_number("native_px", 1);
  out.usual.token_frames = fields.required_number("token_frames", 1);
  out.usual.listed = false;
}

Shipped read_shipped() {
  Shipped out;
  const load::Document document = load::embedded_document("data/efficiency/diffusion_models.yaml");
  Issues issues;  // the shipped file is checked by a test
  load::Fields file(document, document.root, issues, "diffusion models");
  out.decode_flop_per_px = file.required_number("decode_gflop_per_megapixel", 0) * 1e9 / (1 << 20);
  out.offload_bytes_per_s = file.required_number("offload_gb_per_s", 0) * 1e9;
  if (const load::Node* usual = file.node("usual")) read_usual(document, *usual, issues, out);
  if (const load::Node* list = file.node("models"))
    load::each_map(document, *list, issues, "model", [&](load::Fields& fields) { out.models.push_back(read_model(fields, out.usual)); });
  return out;
}

const Shipped& shipped() {
  static const Shipped out = read_shipped();
  return out;
}

/// A transformer of the catalog's sizes; by the parameter count alone its depth is that of a usual one (hidden = 55 x layers: FLUX 54, SD3 64).
std::optional<DiffusionModel> from_sizes(const Model& model) {
  constexpr double hidden_per_layer = 55;
  DiffusionModel out = shipped().usual;
  out.params = model.params_b.value_or(0) * 1e9;
  if (model.layers && model.hidden) {
    out.layers = *model.layers, out.hidden = *model.hidden;
    const double ffn = model.ffn ? *model.ffn : 4 * out.hidden;
    out.token_params = out.layers * (4 * out.hidden * out.hidden + 2 * out.hidden * ffn);
    if (out.params <= 0) out.params = out.token_params / shipped().token_share;
  } else if (out.params > 0) {
    out.token_params = shipped().token_share * out.params;
    out.layers = std::max(1.0, std::round(std::cbrt(out.token_params / (12 * hidden_per_layer * hidden_per_layer))));
    out.hidden = std::sqrt(out.token_params / (12 * out.layers));
  } else {
    return std::nullopt;
  }
  out.blocks = out.layers;
  return out;
}

}  // namespace

double DiffusionModel::forward_flop(double px, double frames) const {
  if (unet) return flop * px * frames / native_px * (1 + attention_share * px / native_px);
  const double tokens = px / token_px * latent_frames(frames) + text_tokens;
  return 2 * token_params * tokens + 4 * tokens * tokens * hidden * layers;
}

double DiffusionModel::latent_frames(double frames) const { return token_frames > 1 ? 1 + std::floor((frames - 1) / token_frames) : frames; }

std::optional<DiffusionModel> diffusion_model(const Workload& workload) {
  for (const std::string& name : {workload.model_name, workload.model ? workload.model->id : std::string()}) {
    const std::string key = name_key(name);
    for (const DiffusionModel& one : shipped().models)
      if (!key.empty() && std::find(one.names.begin(), one.names.end(), key) != one.names.end()) return one;
  }
  if (!workload.model) return std::nullopt;
  // One forward pass that the user counted outranks what sizes tell.
  if (const auto counted = workload.model->forward_gflop_per_sample) {
    DiffusionModel out = from_sizes(*workload.model).value_or(shipped().usual);
    out.unet = true, out.flop = 1e9 * *counted, out.native_px = std::max(1, workload.inputs.image_px.value_or(static_cast<int>(out.native_px)));
    out.blocks = std::max(1.0, out.blocks);
    return out;
  }
  return from_sizes(*workload.model);
}

double decode_flop_per_px() { return shipped().decode_flop_per_px; }
double offload_bytes_per_s() { return shipped().offload_bytes_per_s; }

}  // namespace steelyard::estimate
