#include "collectives.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>
#include <steelyard/catalog.hpp>

#include "csv.hpp"
#include "estimate/collective/efficiency.hpp"
#include "mixed.hpp"
#include "network.hpp"
#include "smooth.hpp"
#include "yaml_out.hpp"

namespace steelyard::fit {

namespace {

using estimate::collective_class;
using estimate::CollectiveEfficiency;

struct Curve {
  std::string link, kind, series, board;
  double gpus = 2, bytes = 0;
};

struct Collectives {
  std::vector<Curve> curves;
  Problem problem;
};

/// "NVLink4 NVSwitch" -> "nvlink4", "PCIe5" -> "pcie5". Four and more L40S on a host of unknown topology behave as copies through host memory do.
std::string link_of(const Record& record) {
  const std::string& text = record.text("link");
  const bool nvlink = text.starts_with("NVLink");
  if (!nvlink && !text.starts_with("PCIe")) return {};
  const std::string key = (nvlink ? "nvlink" : "pcie") + text.substr(nvlink ? 6 : 4, 1);
  return text.find("not stated") != std::string::npos && record.whole("n_gpus", 0) > 2 ? key + "_staged" : key;
}

/// Rows of one node with NCCL's own choice of algorithm. The second source's small sizes carry some 25 us of its own start-up: left out.
bool usable(const Record& record) {
  const bool second = record.text("source_id") != "aiconfigurator_nccl";
  const double bytes = record.number("size_bytes").value_or(0);
  return record.text("algo") == "nccl default" && record.whole("n_nodes", 1) == 1 && record.text("quality") != "C" && bytes <= (1 << 30) &&
         record.number("latency_us").value_or(0) > 0 && !(second && bytes < (16 << 20)) && !link_of(record).empty();
}

void read_rows(const Request& request, Collectives& out) {
  Table table;
  read_csv(request.data, "collectives", table);
  for (const Record& record : table.records) {
    if (!usable(record)) continue;
    const Board* board = Catalog::embedded().find_board(record.text("gpu")).resolved();
    Curve curve{link_of(record), record.text("collective"), "", board ? board->id : "", *record.number("n_gpus"), *record.number("size_bytes")};
    curve.series = fmt::format("{} {} {} {}", record.text("gpu"), curve.kind, curve.gpus, record.text("source_id").substr(0, 4));
    const std::string cell = fmt::format("{} {} {}", curve.link, collective_class(curve.kind), curve.gpus);
    Row row{record.text("row_id"), *record.number("latency_us"), 0.15, {}, {{"series", curve.series}}, "collectives"};
    row.folds["link and count"] = cell;
    row.folds["link"] = curve.link;
    row.group = curve.link.starts_with("nvlink") || curve.link == "pcie5" ? "scored" : "other";
    if (curve.bytes < 65536 || curve.bytes > (512 << 20) || record.text("source_id") != "aiconfigurator_nccl") row.group = "other";
    out.curves.push_back(std::move(curve));
    out.problem.rows.push_back(std::move(row));
  }
}

std::vector<Parameter> priors() {
  std::vector<Parameter> out{{"knee", 0.62, 0.2}, {"sharp", 1, 0.1}};
  for (const auto& [key, alpha, beta] : {std::tuple{"nvlink3", 14., 197.},
                                         {"nvlink4", 9.5, 340.},
                                         {"nvlink5", 14., 590.},
                                         {"pcie4", 9., 20.},
                                         {"pcie5", 8., 26.},
                                         {"pcie4_staged", 14., 6.}}) {
    out.push_back({std::string("alpha_us@") + key, alpha, 1});
    out.push_back({std::string("beta_gb_per_s@") + key, beta, 1});
  }
  for (const char* klass : {"all_reduce", "all_gather", "alltoall"}) {
    const bool first = klass == std::string("all_reduce");
    out.push_back({std::string("alpha.") + klass, first ? 1 : 0.85, first ? 0 : 0.2});
    out.push_back({std::string("beta.") + klass, first ? 1 : 0.9, first ? 0 : 0.2});
    out.push_back({std::string("alpha_per_doubling.") + klass, 1.22, 0.15});
    out.push_back({std::string("beta_per_doubling.nvlink.") + klass, 1.1, 0.15});
    out.push_back({std::string("beta_per_doubling.pcie.") + klass, 0.82, 0.15});
    out.push_back({std::string("beta_per_doubling.staged.") + klass, 0.5, 0.4});
  }
  return out;
}

/// The library's own law, with theta as its parameters.
void set_law(Collectives& out) {
  struct Cache {
    std::vector<double> theta;
    CollectiveEfficiency efficiency;
  };
  auto cache = std::make_shared<Cache>();
  out.problem.law = [&out, cache](std::span<const double> theta, std::size_t row) {
    if (!std::equal(theta.begin(), theta.end(), cache->theta.begin(), cache->theta.end())) {
      cache->theta.assign(theta.begin(), theta.end());
      for (std::size_t i = 0; i < theta.size(); ++i) cache->efficiency.fitted.parameters[out.problem.parameters[i].name] = theta[i];
    }
    const Curve& c = out.curves[row];
    return estimate::link_time_us(estimate::wire_bytes(c.kind, c.bytes, c.gpus), cache->efficiency.link({c.link, 1, true}, c.kind, c.gpus));
  };
}

/// Chosen by the largest likelihood of the residuals, then rounded. Lengths in octaves of the buffer. The last component is a measurement's own
/// series: it can't be foreseen.
constexpr double length = 2, series_sd = 0.04;
const Smoother& smoother() {
  static const Smoother chosen{{{0.02, length},
                                {0.02, length},
                                {0.02, length},
                                {0.025, length},
                                {0.045, length},
                                {0.06, length},
                                {0.025, length},
                                {0.09, length},
                                {0.03, 0},
                                {series_sd, length}},
                               0.03};
  return chosen;
}

/// `board` and `series` empty: any.
Place place_of(const Curve& c, const std::string& board, const std::string& series) {
  const std::string family = c.link.starts_with("nvlink") ? "nvlink" : c.link.ends_with("_staged") ? "staged" : "pcie";
  const std::string n = fmt::format("{}", c.gpus), k(collective_class(c.kind)), own = c.link == family ? "" : c.link;
  const auto with = [&](const std::string& more) { return own.empty() ? std::string() : own + more; };
  return {{family, family + k, family + n, own, with(n), with(k), family + k + n, with(k + n), board, series}, std::log2(c.bytes)};
}

std::vector<Place> places(const Collectives& all, const std::vector<std::size_t>& rows, bool with_series) {
  std::vector<Place> out;
  for (const std::size_t row : rows) out.push_back(place_of(all.curves[row], all.curves[row].board, with_series ? all.curves[row].series : ""));
  return out;
}

std::vector<double> law_residuals(const Collectives& all, const Fit& fitted, const std::vector<std::size_t>& rows) {
  std::vector<double> out;
  for (const std::size_t row : rows) out.push_back(std::log(all.problem.rows[row].measured / all.problem.law(fitted.theta, row)));
  return out;
}

/// Law and smoother fitted to `rows`, applied to `wanted`.
std::vector<Prediction> predict_curves(const Collectives& all, const Fit& fitted, const std::vector<std::size_t>& rows,
                                       const std::vector<std::size_t>& wanted) {
  const std::vector<Smoothed> smoothed = smooth(smoother(), places(all, rows, true), law_residuals(all, fitted, rows), places(all, wanted, false));
  std::vector<Prediction> out;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    out.push_back(
        {wanted[i], all.problem.law(fitted.theta, wanted[i]) * std::exp(smoothed[i].value), std::hypot(smoothed[i].sd, series_sd, smoother().noise)});
  return out;
}

std::vector<Prediction> left_out(const Collectives& all, const Fit& start, const std::string& fold) {
  std::set<std::string> words;
  for (const Row& row : all.problem.rows) words.insert(row.folds.at(fold));
  std::vector<Prediction> out;
  for (const std::string& word : words) {
    std::vector<std::size_t> rows, wanted;
    for (std::size_t row = 0; row < all.curves.size(); ++row) (all.problem.rows[row].folds.at(fold) == word ? wanted : rows).push_back(row);
    const Fit fitted = fit(all.problem, {1, 2, 3, 1e-3}, rows, &start);
    for (const Prediction& p : predict_curves(all, fitted, rows, wanted)) out.push_back(p);
  }
  return out;
}

constexpr int first_octave = 9, last_octave = 30;  // 512 B to 1 GiB

/// One curve for each link, class and number of GPUs, those of whole families of links ("nvlink") included.
std::vector<Curve> wanted_curves(const Collectives& all) {
  std::set<std::tuple<std::string, std::string, double>> lines;
  for (const Curve& c : all.curves) lines.insert({c.link, std::string(collective_class(c.kind)), c.gpus});
  for (const char* link : {"nvlink", "nvlink3", "nvlink4", "nvlink5", "pcie", "pcie5"})
    for (const char* kind : {"all_gather", "all_reduce", "alltoall"})
      for (const double gpus : {2., 4., 8.}) lines.insert({link, kind, gpus});
  std::vector<Curve> out;
  for (const auto& [link, kind, gpus] : lines) out.push_back({link, kind, "", "", gpus, 0});
  return out;
}

/// The table of what the law leaves over, and one factor a board.
std::string residual_lines(const Collectives& all, const Fit& fitted, const std::vector<std::size_t>& rows) {
  const std::vector<Curve> curves = wanted_curves(all);
  std::vector<Place> wanted;
  for (Curve c : curves)
    for (int octave = first_octave; octave <= last_octave; ++octave) {
      c.bytes = std::exp2(octave);
      wanted.push_back(place_of(c, "", ""));
    }
  const std::vector<Smoothed> table = smooth(smoother(), places(all, rows, true), law_residuals(all, fitted, rows), wanted);
  std::string out = "residuals:\n";
  std::size_t next = 0;
  for (const Curve& c : curves) {
    std::vector<std::string> offsets, spreads;
    for (int octave = first_octave; octave <= last_octave; ++octave, ++next) {
      offsets.push_back(fmt::format("{:.3f}", table[next].value));
      spreads.push_back(fmt::format("{:.3f}", std::hypot(table[next].sd, series_sd, smoother().noise)));
    }
    out += fmt::format("  - {{link: {}, kind: {}, gpus: {}, first_octave: {},\n     offsets: [{}],\n     spreads: [{}]}}\n", c.link, c.kind, c.gpus,
                       first_octave, fmt::join(offsets, ", "), fmt::join(spreads, ", "));
  }
  return out;
}

/// Rates of links that were never measured, as a share of their nominal rate, and start-ups, from those that were.
std::string general_parameters(const Problem& problem, const Fit& fitted) {
  std::map<std::string, std::vector<double>> shares, alphas;
  for (std::size_t i = 0; i < problem.parameters.size(); ++i) {
    const std::string& name = problem.parameters[i].name;
    const std::size_t at = name.find('@');
    if (at == std::string::npos) continue;
    const std::string link = name.substr(at + 1), family = link.starts_with("nvlink") ? "nvlink" : link.ends_with("_staged") ? "staged" : "pcie";
    if (name.starts_with("beta")) shares[family].push_back(std::log(fitted.theta[i] / estimate::nominal_gb_per_s(link)));
    if (name.starts_with("alpha")) alphas[family].push_back(std::log(fitted.theta[i]));
  }
  const auto mean = [](const std::vector<double>& logs) {
    double sum = 0;
    for (const double x : logs) sum += x;
    return std::exp(sum / static_cast<double>(logs.size()));
  };
  std::string out;
  for (const auto& [family, logs] : shares) out += fmt::format("  - {{name: share_of_peak.{}, value: {}}}\n", family, figure(mean(logs)));
  for (const auto& [family, logs] : alphas) out += fmt::format("  - {{name: alpha_us.{}, value: {}}}\n", family, figure(mean(logs)));
  return out;
}

/// "measured@BOARD": the factor by which a board's times differ from those of its link generation.
std::string measured_boards(const Collectives& all, const Fit& fitted, const std::vector<std::size_t>& rows) {
  constexpr int fewest_rows = 20;
  std::map<std::string, int> counts;
  for (const Curve& c : all.curves) ++counts[c.board];
  std::set<std::string> boards;
  for (const auto& [board, count] : counts)
    if (!board.empty() && count >= fewest_rows) boards.insert(board);
  std::vector<Place> wanted;
  for (const std::string& board : boards) wanted.push_back({{"", "", "", "", "", "", "", "", board, ""}, 0});
  const std::vector<Smoothed> factors = smooth(smoother(), places(all, rows, true), law_residuals(all, fitted, rows), wanted);
  std::string out;
  std::size_t next = 0;
  for (const std::string& board : boards)
    out += fmt::format("  - {{name: \"measured@{}\", value: {}}}\n", board, figure(std::exp(factors[next++].value)));
  return out;
}

}  // namespace

std::string fit_collectives(const Request& request) {
  Collectives all;
  read_rows(request, all);
  all.problem.parameters = priors();
  set_law(all);
  const Fit fitted = fit(all.problem, {2, 2, 10, 1e-4});
  std::vector<std::size_t> rows(all.curves.size());
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = row;
  std::string report, lines;
  const auto scored = [](const Row& row) { return row.group == "scored"; };
  const std::vector<Prediction> series = left_out(all, fitted, "series");
  const double width = held_width(all.problem, series, scored);
  const auto line = [&](const std::string& what, const std::vector<Prediction>& predictions) {
    const Errors e = errors(all.problem, predictions, width, scored);
    report += fmt::format("collectives {:16} {}\n", what, to_text(e));
    if (what != "fitted") lines += errors_yaml("collectives", what, e);
  };
  line("fitted", predict_curves(all, fitted, rows, rows));
  line("series", series);
  for (const std::string fold : {"link and count", "link"}) line(fold, left_out(all, fitted, fold));
  const NetworkFit network = fit_network(request);
  report += network.report;
  const std::string list = parameters_yaml(all.problem, fitted);
  const std::string text =
      "# Written by steelyard_fit --family collectives; do not edit. Time law of collectives: docs/reference/estimate-kernels.md.\n"
      "# alpha and beta are stated for four GPUs. residuals: log of measured over law by octave of the buffer (first_octave 9 = 512 B), pooled over "
      "the\n"
      "# boards of one link generation; link nvlink or pcie stands for generations that were not measured. measured@BOARD: factor of a board.\n"
      "source: {text: \"fitted to ai-dynamo/aiconfigurator@095f58a NCCL tables (Apache-2.0), stas00/ml-engineering@744d01e and the published "
      "two-node runs\", date: 2026-11-30}\n"
      "interval_width: " +
      figure(width) + "\nerrors:\n" + lines + network.errors + list + general_parameters(all.problem, fitted) + measured_boards(all, fitted, rows) +
      network.parameters + "  - {name: noise_of_unseen_link, value: 0.3}\n" + residual_lines(all, fitted, rows);
  if (!write_file(request.out + "/collectives.yaml", text)) throw std::runtime_error("cannot write " + request.out + "/collectives.yaml");
  return report;
}

}  // namespace steelyard::fit
