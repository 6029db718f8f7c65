#include "classic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <steelyard/catalog.hpp>

#include "core/text.hpp"
#include "csv.hpp"
#include "estimate/classic/law.hpp"
#include "estimate/classic/levels.hpp"
#include "mixed.hpp"
#include "yaml_out.hpp"

namespace steelyard::fit {

namespace {

using namespace estimate;
using Sigmas = std::map<std::string, double, std::less<>>;

/// Spread of each kind of level, chosen by the error with rows left out.
const Sigmas& sigmas() {
  static const Sigmas chosen{{"model", 0.6},        {"model_framework", 0.3},  {"model_length", 0.3}, {"model_bits", 0.15},
                             {"board", 0.15},       {"board_units", 0.15},     {"board_bits", 0.1},   {"board_kind", 0.1},
                             {"board_model", 0.12}, {"board_model_bits", 0.1}, {"board_count", 0.05}, {"board_model_several", 0.1}};
  return chosen;
}
/// Noise of one row: recurrent and speech nets vary between like runs.
constexpr double noise_of_kind[classic_kinds] = {0.04, 0.04, 0.04, 0.1, 0.08, 0.15};

struct Classic {
  std::vector<ClassicJob> jobs;
  Problem problem;
};

std::optional<std::string> precision_of(const std::string& text) {
  static const std::map<std::string, std::string> words{
      {"bf16", "bf16"}, {"fp16", "fp16"}, {"fp16 mixed", "fp16"}, {"fp32", "fp32"}, {"tf32", "tf32"}};
  const auto found = words.find(to_lower(text));
  return found == words.end() ? std::nullopt : std::optional(found->second);
}

/// Network of the makers' reference systems, Gbit/s a GPU: the tables name none.
double network_gbit(const std::string& board) {
  for (const auto& [chip, gbit] : {std::pair{"H100", 400.}, {"A100", 200.}, {"V100", 50.}})
    if (board.starts_with(chip)) return gbit;
  return 100;
}

Configuration configuration_of(const Record& row, int gpus) {
  Configuration out;
  out.board = Catalog::embedded().find_board(row.text("gpu")).resolved();
  out.gpus_per_node = std::min(gpus, row.whole("gpus_per_node", gpus));
  out.nodes = (gpus + out.gpus_per_node - 1) / out.gpus_per_node;
  const std::string& link = row.text("intra_link");
  out.intra_node = gpus == 1 ? "none" : link.starts_with("NVLink") ? "nvlink" : link.starts_with("PCIe") ? "pcie" : "";
  if (out.nodes > 1) {
    out.inter_node.kind = "infiniband";
    out.inter_node.gbit_per_s_per_node = network_gbit(row.text("gpu")) * out.gpus_per_node;
  }
  return out;
}

std::string task_of(const std::string& workload) {
  if (workload == "train_cv") return "vision_training";
  if (workload == "train_cv3d") return "vision3d_training";
  if (workload == "train_rec") return "recommender_training";
  return workload == "train_speech" ? "speech_training" : "pretrain";
}

std::optional<Workload> workload_of(const Record& row, int gpus) {
  const auto precision = precision_of(row.text("precision"));
  const bool squad = to_lower(row.text("model") + row.text("source_ref")).find("squad") != std::string::npos;
  const int sequence = row.whole("seq_len", squad ? 384 : 0);
  const bool encoder = row.text("workload") == "train_mlm" || row.text("model") == "BART-large";
  const double each = row.number("mbs").value_or(row.number("gbs").value_or(0) / gpus);
  if (!precision || each <= 0 || (encoder && !sequence) || row.text("model").starts_with("Transformer big")) return std::nullopt;
  Workload out;
  out.task = task_of(row.text("workload"));
  out.model_name = row.text("model");
  if (const Model* model = Catalog::embedded().find_model(out.model_name).resolved()) out.model = *model;
  out.precision = *precision;
  out.software.framework = row.text("framework");
  out.batch.global = static_cast<int>(row.number("gbs").value_or(each * gpus));
  const bool accumulated = row.text("workload") == "train_mlm" && each >= 1024;  // the table's batch of a GPU is more than one pass
  if (!accumulated) out.batch.micro = std::max(1, static_cast<int>(each));
  if (sequence) out.sequence_length = sequence;
  return out;
}

/// Seconds of one GPU per unit.
std::optional<double> unit_time_s(const Record& row, const ClassicJob& job) {
  if (row.text("metric") == "throughput") {
    const auto value = row.number("value");
    return value ? std::optional(job.gpus / *value) : std::nullopt;
  }
  const auto step_s = row.number("step_time_s");
  return step_s && job.global ? std::optional(*step_s * job.gpus / *job.global / job.units_per_sample) : std::nullopt;
}

/// One of twenty groups of whole words: the same on every machine.
std::string group_of(const std::string& word) {
  unsigned sum = 0;
  for (const char letter : word) sum = sum * 31 + static_cast<unsigned char>(letter);
  return std::to_string(sum % 20);
}

void read_file(const Request& request, const char* file, Classic& out) {
  Table table;
  read_csv(request.data, file, table);
  for (const Record& record : table.records) {
    const int gpus = record.whole("n_gpus", 0);
    const std::string& kind = record.text("workload");
    if (!gpus || !kind.starts_with("train_") || kind == "train_lm" || record.text("quality") == "C") continue;
    const auto workload = workload_of(record, gpus);
    if (!workload) continue;
    std::vector<std::string> missing;
    const auto job = classic_job(*workload, configuration_of(record, gpus), missing);
    const auto time = job ? unit_time_s(record, *job) : std::nullopt;
    if (!time) continue;
    const std::string bits = job->half ? "16" : "32";
    Row row{record.text("row_id"), *time, noise_of_kind[static_cast<int>(job->kind)], classic_levels(*job, sigmas()), {}, ""};
    row.folds = {{"row", std::to_string(out.jobs.size() % 10)},
                 {"model and board", group_of(job->model + job->board + bits)},
                 {"model", job->model},
                 {"board", job->board}};
    row.group = job->kind == ClassicKind::speech ? "speech" : "scored";
    out.jobs.push_back(*job);
    out.problem.rows.push_back(std::move(row));
  }
}

using FoldPredictions = std::vector<std::pair<std::string, std::vector<Prediction>>>;

FoldPredictions cross_validated(const Classic& all, const Fit& fitted) {
  FoldPredictions out;  // the first sets the widths of the intervals
  for (const char* fold : {"model and board", "row", "model", "board"})
    out.emplace_back(fold, cross_validate(all.problem, fold, fitted, {1, 2, 3, 1e-3}));
  return out;
}

/// How wide an interval of each kind must be to hold rows of a model whose runs on that board were left out.
std::map<std::string, double, std::less<>> widths_of(const Classic& all, const std::vector<Prediction>& left_out) {
  std::map<std::string, double, std::less<>> out;
  for (int kind = 0; kind < classic_kinds; ++kind)
    out[classic_kind_word(static_cast<ClassicKind>(kind))] =
        held_width(all.problem, left_out, [&](const Row& row) { return static_cast<int>(all.jobs[&row - all.problem.rows.data()].kind) == kind; });
  return out;
}

}  // namespace

std::string fit_classic(const Request& request) {
  Classic all;
  for (const char* file : {"lambda_bench", "nvidia_dle", "mlperf_training"}) read_file(request, file, all);
  for (const ClassicParameter& one : classic_parameters()) all.problem.parameters.push_back({one.name, one.median, one.spread});
  all.problem.law = [&all](std::span<const double> theta, std::size_t row) { return classic_times(all.jobs[row], classic_law(theta)).total; };
  const Fit fitted = fit(all.problem, {2, 2, 10, 1e-4});
  std::string report, lines;
  const FoldPredictions left_out = cross_validated(all, fitted);
  const std::map<std::string, double, std::less<>> widths = widths_of(all, left_out.front().second);
  const auto line = [&](const std::string& what, std::vector<Prediction> predictions) {
    for (Prediction& one : predictions) one.log_sd *= widths.at(classic_kind_word(all.jobs[one.row].kind));
    const Errors e = errors(all.problem, predictions, 1, [](const Row& row) { return row.group == "scored"; });
    report += fmt::format("classic_training {:16} {}\n", what, to_text(e));
    if (what != "fitted") lines += errors_yaml("classic_training", what, e);
  };
  line("fitted", predict_all(all.problem, fitted));
  for (const auto& [fold, predictions] : left_out) line(fold, predictions);
  std::string text =
      "# Written by steelyard_fit --family classic; do not edit. Law and levels: docs/reference/estimate-classic.md.\n"
      "source: {text: \"fitted to lambdal/deeplearning-benchmark@aa5addb, NVIDIA/DeepLearningExamples@729963d and MLPerf training v4.0 logs\", date: "
      "2026-11-30}\n"
      "noise: 0.1\ninterval_width: 1.645\n" +
      widths_yaml(widths) + "errors:\n" + lines + parameters_yaml(all.problem, fitted);
  for (int kind = 0; kind < classic_kinds; ++kind)
    text += fmt::format("  - {{name: noise.{}, value: {}}}\n", classic_kind_word(static_cast<ClassicKind>(kind)), figure(noise_of_kind[kind]));
  text += "sigmas:\n";
  for (const auto& [kind, sigma] : sigmas()) text += fmt::format("  {}: {}\n", kind, figure(sigma));
  text += offsets_yaml(offsets_of(all.problem, fitted));
  if (!write_file(request.out + "/classic.yaml", text)) throw std::runtime_error("cannot write classic.yaml");
  return report;
}

}  // namespace steelyard::fit
