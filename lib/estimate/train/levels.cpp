#include "estimate/train/levels.hpp"

#include <fmt/format.h>

namespace steelyard::estimate {

namespace {

std::string format_word(const TrainingJob& job) { return job.machine.format == "fp16" ? "bf16" : job.machine.format; }

bool fully_sharded(const Plan& plan) { return plan.sharding == "zero3" || plan.sharding == "fsdp" || plan.sharding == "hsdp"; }

}  // namespace

std::string model_key(const TransformerShape& shape) {
  return shape.moe() ? fmt::format("{}x{}e{}", shape.hidden, shape.moe_ffn, shape.experts) : fmt::format("{}x{}", shape.hidden, shape.ffn);
}

std::string_view interval_kind(const TrainingJob& job, const Plan& plan) {
  if (job.fine_tunes) return "tuning";
  if (fully_sharded(plan)) return "sharded";
  return job.low_precision ? "low" : "half";
}

std::vector<Level> training_levels(const TrainingJob& job, const Plan& plan, const Sigmas& sigmas, bool with_plan) {
  std::vector<Level> out;
  out.reserve(24);
  const auto add = [&](std::string_view kind, const std::string& key, double published = 0) {
    const auto sigma = sigmas.find(kind);
    if (sigma == sigmas.end() || sigma->second <= 0) return;
    out.push_back({std::string(kind) + ": " + key, published > 0 ? published : sigma->second});
  };
  const TrainingSoftware& s = job.software;
  const std::string model = model_key(job.shape), format = format_word(job), board = job.machine.board;
  const bool moe = job.shape.moe();
  add("engine", s.engine);
  add("framework", s.framework, s.tax_spread);
  if (!s.release.empty()) add("release", s.release);
  add("framework_generation", s.framework + " " + job.machine.generation);
  add(moe ? "framework_model_moe" : "framework_model", s.framework + " " + model);
  if (moe && !s.release.empty()) add("release_moe", s.release);
  if (!s.release.empty()) add(moe ? "release_model_moe" : "release_model", s.release + " " + model);
  const std::string reach = job.machine.domain > 8 ? " rack" : " node";
  if (moe) add("framework_domain_moe", s.framework + reach);
  if (moe && !s.release.empty()) add("release_domain_moe", s.release + reach);
  if (moe && !s.release.empty()) add("release_format_moe", s.release + " " + format);
  if (moe) add("board_moe", board);
  add("board", board);
  add(moe ? "board_model_format_moe" : "board_model_format", board + " " + model + " " + format);
  add("framework_format", s.framework + " " + format);
  add("framework_sharding", s.framework + (fully_sharded(plan) ? " sharded" : " replicated"));
  add("framework_recompute", s.framework + " " + (job.recompute_open ? "open" : plan.activation_checkpointing));
  if (!job.trains_weights) add("lora", s.framework);
  if (!with_plan) return out;
  add("plan", fmt::format("{} {} {} t{} p{} v{} c{} e{} m{}", board, model, format, plan.tensor, plan.pipeline, plan.virtual_pipeline, plan.context,
                          plan.expert, plan.micro_batch));
  return out;
}

}  // namespace steelyard::estimate
