#include "estimate/folding/law.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.hpp"

namespace steelyard::estimate {

namespace {

// The board that the law's figures are stated for: A100 SXM 80GB.
constexpr double reference_memory = 2039, reference_peak = 312;

/// Models of the two architectures, by the beginning of their names without punctuation.
std::optional<FoldingFamily> family_of(const std::string& key) {
  const auto any = [&](std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&](const char* word) { return key.find(word) != std::string::npos; });
  };
  if (any({"alphafold3", "boltz", "chai1", "protenix", "openfold3"})) return FoldingFamily::alphafold3;
  if (any({"alphafold", "openfold", "colabfold", "rosettafold"})) return FoldingFamily::alphafold2;
  return std::nullopt;
}

}  // namespace

std::optional<FoldingJob> folding_job(const Workload& workload, const Configuration& configuration, std::vector<std::string>& missing) {
  FoldingJob out;
  out.model = name_key(workload.model_name.empty() && workload.model ? workload.model->id : workload.model_name);
  const auto family = family_of(out.model);
  if (!family) missing.push_back("workload.model");
  out.family = family.value_or(FoldingFamily::alphafold3);
  const int tokens = std::max(workload.inputs.tokens.value_or(0), workload.inputs.residues.value_or(0));
  if (tokens <= 0) missing.push_back("workload.inputs.tokens");
  out.kilotokens = tokens / 1000.0;
  if (!configuration.board) {
    missing.push_back("configuration.gpu");
    return std::nullopt;
  }
  const Board& board = *configuration.board;
  out.memory_gb_per_s = board.memory_bandwidth_gb_per_s.value_or(0);
  out.peak_tflops = dense_peak_tflops(board, "bf16").value_or(dense_peak_tflops(board, "fp16").value_or(0));
  if (out.memory_gb_per_s <= 0) missing.push_back("board.memory_bandwidth_gb_per_s");
  if (out.peak_tflops <= 0) missing.push_back("board.dense_tflops.bf16");
  out.gpus = std::max(1, configuration.gpus());
  out.board = board.id;
  out.framework = name_key(workload.software.framework);
  return missing.empty() ? std::optional(out) : std::nullopt;
}

std::span<const FoldingParameter> folding_parameters() {
  using L = FoldingLaw;
  static constexpr std::array<FoldingParameter, 7> all{{{"start_3_s", &L::start_3_s, 3, 0.7},
                                                        {"start_2_s", &L::start_2_s, 5, 0.7},
                                                        {"square_s", &L::square_s, 60, 0.5},
                                                        {"second_2", &L::second_2, 1, 0.7},
                                                        {"knee_kilotokens", &L::knee_kilotokens, 5, 0.3},
                                                        {"growth", &L::growth, 1.5, 0.2},
                                                        {"memory_part", &L::memory_part, 0.7, 0.15}}};
  return all;
}

double folding_time_s(const FoldingJob& job, const FoldingLaw& law) {
  const bool second = job.family == FoldingFamily::alphafold2;
  const double k = job.kilotokens, part = std::min(1.0, law.memory_part);
  const double board = part * reference_memory / job.memory_gb_per_s + (1 - part) * reference_peak / job.peak_tflops;
  return (second ? law.start_2_s : law.start_3_s) +
         law.square_s * (second ? law.second_2 : 1) * k * k * (1 + std::pow(k / law.knee_kilotokens, law.growth)) * board;
}

std::vector<Level> folding_levels(const FoldingJob& job) {
  return {{"model: " + job.model, 0.3}, {"board: " + job.board, 0.15}, {"framework: " + job.framework, 0.1}};
}

}  // namespace steelyard::estimate
