#include "gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <steelyard/catalog.hpp>

#include "csv.hpp"
#include "estimate/gemm/efficiency.hpp"
#include "mixed.hpp"
#include "yaml_out.hpp"

namespace steelyard::fit {

namespace {

using estimate::gemm_members;
using estimate::GemmLaw;

struct Shape {
  double m, n, k;
  const Board* board;
};

/// One format's rows. `place[row][member]`: indices of the parameter and its factors (architecture, board) or -1.
struct FormatProblem {
  std::string format;
  std::vector<Shape> shapes;
  std::vector<std::array<std::array<int, 3>, 13>> place;
  Problem problem;
};

/// Priors: medians from the physical meaning, spreads wide enough that 72 shapes a board decide.
std::vector<Parameter> priors(const std::string& format) {
  const bool fp8 = format == "fp8", fp4 = format == "nvfp4";
  const double values[13] = {
      fp8 ? 12.0 : fp4 ? 5.0 : 2.0, 0.78, fp4 ? 0.6 : 0.77, fp4 ? 0.0019 : 0.0008, fp4 ? 0.6 : 0.4, 3.5, 0.5, 150, 1.05, 1.2, 1.5, 0.35, 0.6};
  const double spreads[13] = {0.7, 0.3, 0.3, 0.7, 0.7, 0.5, 0.7, 0.6, 0.1, 0.15, 0.2, 0.5, 0.5};
  std::vector<Parameter> out;
  for (std::size_t i = 0; i < gemm_members().size(); ++i) out.push_back({format + "." + gemm_members()[i].name, values[i], spreads[i]});
  return out;
}

/// Factors of an architecture and of a board on four of the parameters: sd of their log.
struct Factor {
  const char* member;
  double architecture, board;
};
constexpr Factor factors[] = {{"launch_us", 0.25, 0.1}, {"rate", 0.1, 0.06}, {"memory", 0.1, 0.06}, {"cast", 0.15, 0.05}};

void add_factors(FormatProblem& out) {
  std::map<std::string, int> index;
  const auto place = [&](const std::string& name, double spread) {
    const auto [at, fresh] = index.emplace(name, static_cast<int>(out.problem.parameters.size()));
    if (fresh) out.problem.parameters.push_back({name, 1, spread});
    return at->second;
  };
  for (const Shape& shape : out.shapes) {
    auto& mine = out.place.emplace_back();
    for (std::size_t i = 0; i < gemm_members().size(); ++i) {
      mine[i] = {static_cast<int>(i), -1, -1};
      for (const Factor& factor : factors) {
        if (gemm_members()[i].name != std::string(factor.member)) continue;
        const std::string name = out.format + "." + factor.member + "@";
        mine[i][1] = place(name + shape.board->architecture, factor.architecture);
        mine[i][2] = place(name + shape.board->id, factor.board);
      }
    }
  }
}

GemmLaw law_of(std::span<const double> theta, const std::array<std::array<int, 3>, 13>& place) {
  GemmLaw out;
  for (std::size_t i = 0; i < place.size(); ++i) {
    double value = theta[place[i][0]];
    for (int extra = 1; extra < 3; ++extra)
      if (place[i][extra] >= 0) value *= theta[place[i][extra]];
    out.*gemm_members()[i].member = value;
  }
  return out;
}

void read_rows(const Request& request, FormatProblem& out) {
  Table table;
  read_csv(request.data, "gemm", table);
  for (const Record& record : table.records) {
    const std::string format = record.text("dtype") == "bfloat16" ? "bf16" : record.text("dtype");
    const Board* board = Catalog::embedded().find_board(record.text("gpu")).resolved();
    if (format != out.format || !board || record.text("quality") == "C") continue;
    const auto m = record.number("m"), n = record.number("n"), k = record.number("k"), time_us = record.number("latency_us");
    if (!m || !n || !k || !time_us) throw std::runtime_error("gemm.csv: row without shape or time: " + record.text("row_id"));
    const std::string fold = std::to_string(out.shapes.size() % 8);
    out.problem.rows.push_back({record.text("row_id"), *time_us, 0.08, {}, {{"shape", fold}, {"board", board->id}}, format});
    out.shapes.push_back({*m, *n, *k, board});
  }
}

/// A member of this struct keeps references to itself, so it is filled in place.
void make_problem(const Request& request, FormatProblem& out) {
  read_rows(request, out);
  out.problem.parameters = priors(out.format);
  add_factors(out);
  std::vector<estimate::Processor> processors;
  for (const Shape& shape : out.shapes) processors.push_back(estimate::processor_of(*shape.board, out.format));
  out.problem.law = [&out, processors, format = estimate::gemm_format(out.format)](std::span<const double> theta, std::size_t row) {
    const Shape& s = out.shapes[row];
    return estimate::gemm_time_us(s.m, s.n, s.k, processors[row], format, law_of(theta, out.place[row]));
  };
}

/// The sd that a stated interval (1.645 sd) needs to hold its share of the errors: a quantile, not a root mean square, since their tails are heavy.
double spread_of(const Problem& problem, std::vector<Prediction> predictions) {
  for (Prediction& one : predictions) one.log_sd = 1;
  return held_width(problem, predictions) / 1.645;
}

struct Report {
  std::string text, parameters, errors;
  std::vector<double> left_out_errors;
};

void add_format(const Request& request, const std::string& name, Report& report) {
  FormatProblem format;
  format.format = name;
  make_problem(request, format);
  const Options options{2, 2, 12, 1e-4};
  const Fit fitted = fit(format.problem, options);
  const auto seen = predict_all(format.problem, fitted);
  const auto shapes = cross_validate(format.problem, "shape", fitted, options);
  const auto boards = cross_validate(format.problem, "board", fitted, options);
  const double noise = spread_of(format.problem, shapes), unseen = std::max(noise, spread_of(format.problem, boards));
  const auto line = [&](const char* what, std::vector<Prediction> predictions) {
    for (Prediction& one : predictions) one.log_sd = what == std::string("board") ? unseen : noise;
    const Errors e = errors(format.problem, predictions, 1.645);
    report.text += fmt::format("gemm {:6} {:16} {}\n", name, what, to_text(e));
    if (what != std::string("fitted")) report.errors += errors_yaml("gemm_" + name, what, e);
  };
  line("fitted", seen), line("shape", shapes), line("board", boards);
  for (const Prediction& p : shapes) report.left_out_errors.push_back(std::abs(p.time / format.problem.rows[p.row].measured - 1));
  const std::string list = parameters_yaml(format.problem, fitted);
  report.parameters += list.substr(list.find('\n') + 1);
  report.parameters += fmt::format("  - {{name: {}.noise, value: {}}}\n  - {{name: {}.noise_of_unseen_board, value: {}}}\n", name, figure(noise),
                                   name, figure(std::sqrt(std::max(1e-4, unseen * unseen - noise * noise))));
}

}  // namespace

std::string fit_gemm(const Request& request) {
  Report report;
  for (const char* format : {"bf16", "fp8", "nvfp4"}) add_format(request, format, report);
  std::sort(report.left_out_errors.begin(), report.left_out_errors.end());
  const std::size_t n = report.left_out_errors.size();
  report.text += fmt::format("gemm all    shape            {:5} rows  median {:5.1f}  p90 {:5.1f}\n", n, 100 * report.left_out_errors[n / 2],
                             100 * report.left_out_errors[static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(n))) - 1]);
  const std::string text =
      "# Written by steelyard_fit --family gemm; do not edit. Time law of matrix products: docs/reference/estimate-kernels.md.\n"
      "source: {text: \"fitted to ai-dynamo/aiconfigurator@095f58a GEMM tables (Apache-2.0), TensorRT-LLM 1.0 containers\", date: 2026-11-30}\n"
      "errors:\n" +
      report.errors + "parameters:\n" + report.parameters;
  if (!write_file(request.out + "/gemm.yaml", text)) throw std::runtime_error("cannot write " + request.out + "/gemm.yaml");
  return report.text;
}

}  // namespace steelyard::fit
