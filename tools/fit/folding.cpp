#include "folding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <steelyard/catalog.hpp>

#include "csv.hpp"
#include "estimate/folding/law.hpp"
#include "mixed.hpp"
#include "yaml_out.hpp"

namespace steelyard::fit {

namespace {

using namespace estimate;

struct Folding {
  std::vector<FoldingJob> jobs;
  Problem problem;
};

/// Runs on one GPU; the paper's own set-up spreads an input over sixteen.
void read_rows(const Request& request, Folding& out) {
  Table table;
  read_csv(request.data, "bio_folding", table);
  for (const Record& record : table.records) {
    const auto value = record.number("value");
    if (record.whole("n_gpus", 0) != 1 || !value || record.text("quality") == "C") continue;
    Workload workload;
    workload.model_name = record.text("model");
    workload.inputs.tokens = record.whole("seq_len", 0);
    workload.software.framework = record.text("framework");
    // "OpenFold2 NIM 1.0.0": the version is no part of the name.
    if (const std::size_t digit = workload.software.framework.find(" 1."); digit != std::string::npos) workload.software.framework.erase(digit);
    Configuration configuration;
    configuration.board = Catalog::embedded().find_board(record.text("gpu")).resolved();
    std::vector<std::string> missing;
    const auto job = folding_job(workload, configuration, missing);
    if (!job) continue;
    out.problem.rows.push_back(
        {record.text("row_id"), *value, 0.04, folding_levels(*job), {{"row", record.text("row_id")}, {"board", job->board}}, "folding"});
    out.jobs.push_back(*job);
  }
}

}  // namespace

std::string fit_folding(const Request& request) {
  Folding all;
  read_rows(request, all);
  for (const FoldingParameter& one : folding_parameters()) all.problem.parameters.push_back({one.name, one.median, one.spread});
  all.problem.law = [&all](std::span<const double> theta, std::size_t row) {
    FoldingLaw law;
    for (std::size_t i = 0; i < theta.size(); ++i) law.*folding_parameters()[i].member = theta[i];
    return folding_time_s(all.jobs[row], law);
  };
  const Fit fitted = fit(all.problem, {2, 2, 20, 1e-5});
  std::string report, lines;
  // Few rows on few boards: what holds a row left out says little of a board never measured, which is what most users ask about.
  double width = 0;
  for (const char* left_out : {"row", "board"}) {
    width = std::max(width, held_width(all.problem, cross_validate(all.problem, left_out, fitted, {1, 2, 8, 1e-4})));
  }
  const auto line = [&](const std::string& what, const std::vector<Prediction>& predictions) {
    const Errors e = errors(all.problem, predictions, width);
    report += fmt::format("folding {:8} {}\n", what, to_text(e));
    if (what != "fitted") lines += errors_yaml("folding", what, e);
  };
  line("fitted", predict_all(all.problem, fitted));
  for (const char* fold : {"row", "board"}) line(fold, cross_validate(all.problem, fold, fitted, {1, 2, 8, 1e-4}));
  const std::string text =
      "# Written by steelyard_fit --family folding; do not edit. Law: docs/reference/estimate-classic.md.\n"
      "source: {text: \"fitted to google-deepmind/alphafold3 docs/performance.md and the OpenFold2 NIM documentation 1.1.0\", date: 2026-11-30}\n"
      "noise: 0.04\ninterval_width: " +
      figure(width) + "\nerrors:\n" + lines + parameters_yaml(all.problem, fitted) + offsets_yaml(offsets_of(all.problem, fitted));
  if (!write_file(request.out + "/folding.yaml", text)) throw std::runtime_error("cannot write folding.yaml");
  return report;
}

}  // namespace steelyard::fit
