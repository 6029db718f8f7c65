#include "estimate/serve/levels.hpp"

#include <cmath>
#include <utility>

namespace steelyard::estimate {

namespace {

std::string whole(double value) { return std::to_string(static_cast<long long>(std::llround(value))); }

std::string model_of(const ServeJob& job) { return whole(job.layers) + "x" + whole(job.hidden); }
std::string plan_of(const ServeJob& job) { return "T" + whole(job.tensor) + "P" + whole(job.pipeline) + "E" + whole(job.expert); }
std::string lengths_of(const ServeJob& job) { return whole(job.input) + "/" + whole(job.output); }
std::string kind_of(const ServeJob& job) { return job.experts > 0 ? "experts" : "dense"; }

std::string plan_class(const ServeJob& job) {
  std::string out = kind_of(job) + " " + job.board;
  if (job.tensor > 1) out += " tensor";
  if (job.pipeline > 1) out += " pipeline";
  if (job.attention_data_parallel) out += " attention parallel";
  return out;
}

std::vector<Level> with_sigmas(const std::vector<std::pair<const char*, std::string>>& all, const std::string& prefix, const LevelSigmas& sigmas) {
  std::vector<Level> out;
  for (const auto& [kind, value] : all) {
    const auto sigma = sigmas.find(kind);
    if (sigma != sigmas.end()) out.push_back({prefix + kind + ": " + value, sigma->second});
  }
  return out;
}

}  // namespace

std::vector<Level> batching_levels(const ServeJob& job, ServeMetric metric, const LevelSigmas& sigmas) {
  const std::string model = model_of(job), lengths = lengths_of(job), metric_word = metric == ServeMetric::latency ? " latency" : " throughput";
  return with_sigmas({{"engine", job.engine},
                      {"board", job.board},
                      {"model", model},
                      {"board_kind", job.board + " " + kind_of(job)},
                      {"run", job.board + " " + model + " " + plan_of(job)},
                      {"release", job.release + metric_word},
                      {"lengths", lengths},
                      {"model_lengths", model + " " + lengths},
                      {"board_lengths", job.board + " " + lengths},
                      {"plan_class", plan_class(job)},
                      {"model_generation", model + " " + job.architecture}},
                     "", sigmas);
}

std::vector<Level> stream_levels(const ServeJob& job, ServeMetric metric, const LevelSigmas& sigmas) {
  const std::string lengths = lengths_of(job), gpus = " on " + whole(job.gpus), format = job.quantized ? " quantised" : " whole";
  const std::string layers = whole(job.layers);
  return with_sigmas({{"board", job.board},
                      {"board_format", job.board + format},
                      {"model", layers},
                      {"gpus", gpus},
                      {"release", job.release},
                      {"lengths", lengths + " " + job.architecture},
                      {"lengths_gpus", lengths + gpus},
                      {"run", job.board + " " + layers + format + gpus},
                      {"board_lengths", job.board + " " + lengths + format}},
                     metric == ServeMetric::latency ? "prefill " : "decode ", sigmas);
}

}  // namespace steelyard::estimate
