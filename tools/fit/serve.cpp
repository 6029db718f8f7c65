#include "serve.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "mixed.hpp"
#include "serve_rows.hpp"
#include "yaml_out.hpp"

namespace steelyard::fit {

namespace {

using namespace estimate;

/// Spread of each kind of level, chosen by the error with rows and with whole plans left out.
const LevelSigmas& batching_sigmas() {
  static const LevelSigmas chosen{{"engine", 0.1}, {"board", 0.12}, {"model", 0.2}, {"board_kind", 0.1}, {"run", 0.15}, {"release", 0.15},
                                  {"lengths", 0.12}, {"model_lengths", 0.12}, {"board_lengths", 0.1}, {"plan_class", 0.12}, {"model_generation", 0.1}};
  return chosen;
}
const LevelSigmas& stream_sigmas() {
  static const LevelSigmas chosen{{"board", 0.1}, {"board_format", 0.08}, {"model", 0.1}, {"gpus", 0.05}, {"release", 0.15},
                                  {"lengths", 0.08}, {"lengths_gpus", 0.08}, {"run", 0.06}, {"board_lengths", 0.04}};
  return chosen;
}

template <class LawType>
std::vector<Parameter> parameters_of(std::span<const LawMember<LawType>> members) {
  std::vector<Parameter> out;
  for (const LawMember<LawType>& one : members) out.push_back({one.name, one.median, one.spread});
  return out;
}

struct ServeProblem {
  std::vector<ServeRow> rows;
  Problem problem;
};

Row problem_row(const ServeRow& row, std::vector<Level> levels, double noise, std::size_t number) {
  const ServeJob& job = row.job;
  Row out{row.id, row.time_s, noise, std::move(levels), {}, ""};
  const std::string plan = fmt::format("{} {} {} {} {}", job.board, row.model, job.tensor, job.pipeline, job.expert);
  out.folds = {{"row", std::to_string(number % 10)}, {"run", plan + (job.single_stream ? fmt::format(" {} {}", job.gpus, job.quantized) : job.release)},
               {"model", row.model}, {"board", job.board}};
  return out;
}

void make_batching(const Request& request, ServeProblem& out) {
  out.rows = batching_rows(request);
  out.problem.parameters = parameters_of(batching_parameters());
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    const ServeRow& row = out.rows[i];
    out.problem.rows.push_back(problem_row(row, batching_levels(row.job, row.metric, batching_sigmas()), 0.08, i));
    out.problem.rows.back().group = row.job.experts > 0 ? "experts" : "dense";
  }
  out.problem.law = [&out](std::span<const double> theta, std::size_t row) {
    return law_time_s(out.rows[row].job, out.rows[row].metric, law_of<BatchingLaw>(batching_parameters(), theta), {});
  };
}

void make_stream(const Request& request, ServeProblem& out) {
  out.rows = stream_rows(request);
  out.problem.parameters = parameters_of(stream_parameters());
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    const ServeRow& row = out.rows[i];
    const bool decode = row.metric == ServeMetric::throughput;
    out.problem.rows.push_back(problem_row(row, stream_levels(row.job, row.metric, stream_sigmas()), !row.scored ? 0.1 : decode ? 0.03 : 0.05, i));
    out.problem.rows.back().group = !row.scored ? "" : decode ? "decode" : "prefill";
  }
  out.problem.law = [&out](std::span<const double> theta, std::size_t row) {
    return law_time_s(out.rows[row].job, out.rows[row].metric, {}, law_of<StreamLaw>(stream_parameters(), theta));
  };
}

struct Written {
  std::string file, source;
  double noise, width;
  const LevelSigmas* sigmas;
  std::vector<std::pair<std::string, std::string>> families;  // name in the report, group of rows ("" = all)
};

std::string fit_one(const Request& request, const ServeProblem& all, const Written& out) {
  const Options options{2, 2, 10, 1e-4};
  const Fit fitted = fit(all.problem, options);
  std::string report, lines;
  const auto line = [&](const std::string& what, const std::vector<Prediction>& predictions) {
    for (const auto& [name, group] : out.families) {
      const Errors e = errors(all.problem, predictions, out.width, [&, g = group](const Row& row) { return g.empty() || row.group == g; });
      report += fmt::format("{:26} {:7} {}\n", name, what, to_text(e));
      if (what != "fitted") lines += errors_yaml(name, what, e);
    }
  };
  line("fitted", predict_all(all.problem, fitted));
  for (const char* fold : {"row", "run", "model", "board"}) line(fold, cross_validate(all.problem, fold, fitted, {1, 2, 3, 1e-3}));
  std::string sigmas;
  for (const auto& [kind, sigma] : *out.sigmas) sigmas += fmt::format("  {}: {}\n", kind, figure(sigma));
  const std::string text = fmt::format("# Written by steelyard_fit --family serving; do not edit. Laws and levels: docs/reference/estimate-serving.md.\n"
                                       "source: {{text: \"{}\", date: 2026-11-30}}\nnoise: {}\ninterval_width: {}\nerrors:\n",
                                       out.source, out.noise, out.width) +
                           lines + parameters_yaml(all.problem, fitted) + "sigmas:\n" + sigmas + offsets_yaml(offsets_of(all.problem, fitted));
  if (!write_file(request.out + "/" + out.file, text)) throw std::runtime_error("cannot write " + out.file);
  return report;
}

}  // namespace

std::string fit_serving(const Request& request) {
  ServeProblem batching, stream;
  make_batching(request, batching);
  make_stream(request, stream);
  return fit_one(request, batching,
                 {"serving.yaml", "fitted to NVIDIA/TensorRT-LLM performance pages (commits 00f3768, 03e27c7, 138f96d) and the vLLM benchmark page", 0.08, 1.645,
                  &batching_sigmas(), {{"llm_inference_offline", ""}, {"llm_inference_dense", "dense"}, {"llm_inference_experts", "experts"}}}) +
         fit_one(request, stream,
                 {"serving_stream.yaml", "fitted to XiongjieDai/GPU-Benchmarks-on-LLM-Inference@00dd2bd (llama.cpp)", 0.05, 1.645, &stream_sigmas(),
                  {{"llm_decode_consumer", "decode"}, {"llm_prefill_consumer", "prefill"}}});
}

}  // namespace steelyard::fit
