#include "estimate/classic/levels.hpp"

#include <utility>

namespace steelyard::estimate {

std::vector<Level> classic_levels(const ClassicJob& job, const std::map<std::string, double, std::less<>>& sigmas) {
  const std::string& model = job.model;
  const std::string run = model + " " + std::to_string(job.sequence), bits = job.half ? " 16" : " 32";
  const std::string kind = std::to_string(static_cast<int>(job.kind));
  const std::pair<const char*, std::string> all[] = {{"model", model},
                                                     {"model_framework", model + " " + job.framework},
                                                     {"model_length", run},
                                                     {"model_bits", run + bits},
                                                     {"board", job.board},
                                                     {"board_units", job.board + (job.matrix_units ? " matrix" : " plain")},
                                                     {"board_bits", job.board + bits},
                                                     {"board_kind", job.board + " " + kind},
                                                     {"board_model", job.board + " " + model},
                                                     {"board_model_bits", job.board + " " + run + bits},
                                                     {"board_count", job.board + " " + std::to_string(job.gpus)},
                                                     {"board_model_several", job.board + " " + model + (job.gpus > 1 ? " several" : " one")}};
  std::vector<Level> out;
  for (const auto& [kind_of_level, value] : all) {
    const auto sigma = sigmas.find(kind_of_level);
    if (sigma != sigmas.end()) out.push_back({std::string(kind_of_level) + ": " + value, sigma->second});
  }
  return out;
}

}  // namespace steelyard::estimate
