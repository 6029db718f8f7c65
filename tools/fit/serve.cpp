#include "serve.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "mixed.hpp"
#include "serve_rows.hpp"
#include "yaml_out.hpp"

namespace steelyard::fit {

namespace {

using namespace estimate;

/// Spread of each kind of level, chosen by the error with rows and with whole plans left out.
const LevelSigmas& batching_sigmas() {
  static const LevelSigmas chosen{{"engine", 0.1},         {"board", 0.08},     {"model", 0.12},           {"board_kind", 0.2},
                                  {"run", 0.02},           {"release", 0.15},   {"lengths", 0.06},         {"model_lengths", 0.08},
                                  {"board_lengths", 0.05}, {"plan_class", 0.2}, {"model_generation", 0.12}};
  return chosen;
}
const LevelSigmas& stream_sigmas() {
  static const LevelSigmas chosen{{"board", 0.1},    {"board_format", 0.08}, {"model", 0.1}, {"gpus", 0.05},         {"release", 0.15},
                                  {"lengths", 0.08}, {"lengths_gpus", 0.08}, {"run", 0.06},  {"board_lengths", 0.04}};
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
  out.folds = {{"row", std::to_string(number % 10)},
               {"run", plan + (job.single_stream ? fmt::format(" {} {}", job.gpus, job.quantized) : job.release)},
               {"model", row.model},
               {"board", job.board}};
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

/// One line a row: error, sd, what it is.
std::string row_lines(const ServeProblem& all, const std::vector<Prediction>& predictions) {
  std::string out;
  for (const Prediction& one : predictions) {
    const ServeRow& row = all.rows[one.row];
    const ServeJob& job = row.job;
    out += fmt::format("  {:6.1f} sd {:4.1f} {:14} {:34} {:22} T{} P{} E{} {:.0f}/{:.0f} c{:.0f} {}\n", 100 * (one.time / row.time_s - 1),
                       100 * one.log_sd, row.id, row.model, job.board, job.tensor, job.pipeline, job.expert, job.input, job.output, job.concurrency,
                       job.release);
  }
  return out;
}

std::string fit_one(const Request& request, const ServeProblem& all, const Written& out) {
  const Options options{2, 2, 10, 1e-4};
  const Fit fitted = fit(all.problem, options);
  std::string report, lines;
  // Rows of a run (board, model, plan, release) that was left out set the widths of the intervals.
  const auto validated = [&](const char* fold) {
    return request.quick ? cross_validate_linear(all.problem, fold, fitted) : cross_validate(all.problem, fold, fitted, {2, 2, 6, 1e-4});
  };
  const std::vector<Prediction> runs = validated("run");
  std::map<std::string, double, std::less<>> widths;
  for (const auto& [name, group] : out.families)
    if (!group.empty()) widths[group] = held_width(all.problem, runs, [&, g = group](const Row& row) { return row.group == g; });
  const auto line = [&](const std::string& what, std::vector<Prediction> predictions) {
    for (Prediction& one : predictions)
      if (const auto width = widths.find(all.problem.rows[one.row].group); width != widths.end()) one.log_sd *= width->second;
    for (const auto& [name, group] : out.families) {
      const Errors e = errors(all.problem, predictions, 1, [&, g = group](const Row& row) { return g.empty() || row.group == g; });
      report += fmt::format("{:26} {:7} {}\n", name, what, to_text(e));
      if (what != "fitted") lines += errors_yaml(name, what, e);
    }
  };
  line("fitted", predict_all(all.problem, fitted));
  line("run", runs);
  if (request.show == "run") report += row_lines(all, runs);
  for (const char* fold : {"row", "model", "board"}) line(fold, validated(fold));
  if (request.quick) return report;
  std::string sigmas;
  for (const auto& [kind, sigma] : *out.sigmas) sigmas += fmt::format("  {}: {}\n", kind, figure(sigma));
  const std::string text = fmt::format(
                               "# Written by steelyard_fit --family serving; do not edit. Laws and levels: docs/reference/estimate-serving.md.\n"
                               "source: {{text: \"{}\", date: 2026-11-30}}\nnoise: {}\ninterval_width: {}\n",
                               out.source, out.noise, out.width) +
                           widths_yaml(widths) + "errors:\n" + lines + parameters_yaml(all.problem, fitted) + "sigmas:\n" + sigmas +
                           offsets_yaml(offsets_of(all.problem, fitted));
  if (!write_file(request.out + "/" + out.file, text)) throw std::runtime_error("cannot write " + out.file);
  return report;
}

}  // namespace

std::string fit_serving(const Request& request) {
  ServeProblem batching, stream;
  make_batching(request, batching);
  make_stream(request, stream);
  return fit_one(request, batching,
                 {"serving.yaml",
                  "fitted to NVIDIA/TensorRT-LLM performance pages (commits 00f3768, 03e27c7, 138f96d) and the vLLM benchmark page",
                  0.08,
                  1.645,
                  &batching_sigmas(),
                  {{"llm_inference_offline", ""}, {"llm_inference_dense", "dense"}, {"llm_inference_experts", "experts"}}}) +
         fit_one(request, stream,
                 {"serving_stream.yaml",
                  "fitted to XiongjieDai/GPU-Benchmarks-on-LLM-Inference@00dd2bd (llama.cpp)",
                  0.05,
                  1.645,
                  &stream_sigmas(),
                  {{"llm_decode_consumer", "decode"}, {"llm_prefill_consumer", "prefill"}}});
}

}  // namespace steelyard::fit
