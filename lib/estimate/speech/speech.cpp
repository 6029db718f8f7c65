#include <algorithm>
#include <cmath>
#include <steelyard/run_time.hpp>

#include "estimate/memory/job.hpp"
#include "estimate/speech/law.hpp"

namespace steelyard {

namespace {

using namespace estimate;

std::optional<double> half_peak(const Board& board) {
  for (const char* format : {"bf16", "fp16", "fp32"})
    if (const auto peak = dense_peak_tflops(board, format)) return *peak * 1e12;
  return std::nullopt;
}

}  // namespace

bool recognises_speech(const Workload& workload) { return serves(workload.task) && SpeechLaw::embedded().find_model(workload); }

TimeEstimate estimate_speech(const Workload& workload, const Configuration& configuration, std::vector<std::string>* missing) {
  TimeEstimate out;
  const SpeechLaw& law = SpeechLaw::embedded();
  const SpeechModel* model = law.find_model(workload);
  const Board* board = configuration.board;
  const auto peak = board ? half_peak(*board) : std::nullopt;
  if (missing && !model) missing->push_back("workload.model");
  if (missing && !board) missing->push_back("configuration.gpu");
  if (!model || !peak || !board->memory_bandwidth_gb_per_s) return out;
  const Serving serving = workload.serving.value_or(Serving{});
  const SpeechSoftware* software = law.find_software(serving.engine.empty() ? workload.software.framework : serving.engine);
  const double gpus = std::max(1, configuration.gpus()), windows = std::max(1.0, serving.concurrency.value_or(1) / gpus);
  const double tokens = serving.output_tokens ? *serving.output_tokens : law.tokens_per_s * law.window_s;
  const SpeechTimes times =
      speech_times(*model, law, software ? software->layer_us : law.usual_layer_us, windows, tokens, *peak, *board->memory_bandwidth_gb_per_s * 1e9);
  out.latency_ms = 1e3 * times.total();
  out.samples_per_s = gpus * windows / times.total();
  out.requests_per_s = out.samples_per_s;
  out.breakdown_s = {{"compute", times.compute}, {"memory_bound", times.memory_bound}, {"input", times.host}};
  const double reach = std::exp(law.interval_width * (software ? law.spread : law.spread_unlisted));
  out.interval = Interval{*out.latency_ms / reach, *out.latency_ms * reach, "latency_ms"};
  out.confidence = "extrapolated";
  return out;
}

}  // namespace steelyard
