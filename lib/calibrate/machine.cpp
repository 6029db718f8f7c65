// Answers questions from a calibration.
#include <algorithm>
#include <cmath>

#include "calibrate/factors.hpp"
#include "calibrate/method.hpp"
#include "calibrate/rates.hpp"
#include "calibrate/statistics.hpp"
#include "calibrate/tables.hpp"
#include "core/text.hpp"

namespace steelyard {

using namespace calibration;

struct MeasuredMachine::Tables {
  Calibration calibration;
  std::map<CurveKey, CurvesByRanks> curves;
  std::map<std::pair<std::string, std::string>, FormatSurface> surfaces;
};

MeasuredMachine::MeasuredMachine(const Calibration& calibration)
    : tables_(new Tables{calibration, collective_curves(calibration.measurements), gemm_surfaces(calibration.measurements)}) {}
MeasuredMachine::~MeasuredMachine() = default;
MeasuredMachine::MeasuredMachine(MeasuredMachine&&) noexcept = default;
MeasuredMachine& MeasuredMachine::operator=(MeasuredMachine&&) noexcept = default;

namespace {

std::string measured_with(const std::string& backend, const Calibration& calibration) {
  std::string out = "measured with " + backend;
  if (!calibration.date.empty()) out += " on " + calibration.date;
  if (calibration.files > 1) out += ", median of " + std::to_string(calibration.files) + " files";
  return out;
}

double octaves_beyond(const Curve& curve, double bytes) {
  if (bytes > curve.points().back().bytes) return std::log2(bytes / curve.points().back().bytes);
  return bytes < curve.points().front().bytes ? std::log2(curve.points().front().bytes / bytes) : 0;
}

Measured on_curve(const CollectiveCurve& curve, double bytes) {
  Measured out;
  out.value = curve.curve.at(bytes, curve.law);
  const auto& points = curve.curve.points();
  const bool hit = std::any_of(points.begin(), points.end(), [&](const CurvePoint& point) { return point.bytes == bytes; });
  out.how = hit ? "measured" : curve.curve.covers(bytes) ? "interpolated" : "extrapolated";
  out.spread = std::hypot(curve.spread, hit ? 0 : curve.fit.median) + Method::embedded().spread_per_octave * octaves_beyond(curve.curve, bytes);
  return out;
}

// Exponent of a quantity over the ranks by least squares of the logs.
double exponent_over_ranks(const CurvesByRanks& curves, double (*quantity)(const CollectiveCurve&)) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto count = static_cast<double>(curves.size());
  for (const auto& [ranks, curve] : curves) {
    const double x = std::log(ranks), y = std::log(quantity(curve));
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

struct RankLaw {
  double latency_exponent, rate_exponent;
};

RankLaw rank_law(const CurvesByRanks& curves) {
  if (curves.size() < 2) return {Method::embedded().latency_exponent_of_ranks, Method::embedded().rate_exponent_of_ranks};
  return {exponent_over_ranks(curves, [](const CollectiveCurve& curve) { return curve.ends.latency_s; }),
          exponent_over_ranks(curves, [](const CollectiveCurve& curve) { return curve.ends.bytes_per_s; })};
}

// The nearest measured rank count, by ratio.
int nearest_ranks(const CurvesByRanks& curves, int ranks) {
  int best = curves.begin()->first;
  for (const auto& [known, curve] : curves) {
    if (std::abs(std::log(static_cast<double>(known) / ranks)) < std::abs(std::log(static_cast<double>(best) / ranks))) best = known;
  }
  return best;
}

Measured over_other_ranks(const CurvesByRanks& curves, std::string_view kind, int ranks, double bytes) {
  const int known = nearest_ranks(curves, ranks);
  const CollectiveCurve& curve = curves.at(known);
  Measured out = on_curve(curve, bytes);
  const double ratio = static_cast<double>(ranks) / known;
  const RankLaw law = rank_law(curves);
  const double latency = std::min(out.value, curve.ends.latency_s), wire = out.value - latency;
  // With two counts or more the measured rate already holds the share of the bytes that crosses each link; with one it has to be put in.
  const double share = curves.size() > 1 ? 1 : *traffic_share(kind, ranks) / *traffic_share(kind, known);
  out.value = latency * std::pow(ratio, law.latency_exponent) + wire * share * std::pow(ratio, -law.rate_exponent);
  out.how = "extrapolated";
  out.spread += Method::embedded().spread_per_octave * std::abs(std::log2(ratio));
  return out;
}

std::optional<Measured> collective(const std::map<CurveKey, CurvesByRanks>& curves, const Calibration& calibration, const CurveKey& key, int ranks,
                                   double bytes) {
  const auto found = curves.find(key);
  if (found == curves.end() || ranks < 2 || bytes <= 0) return std::nullopt;
  const auto exact = found->second.find(ranks);
  Measured out = exact != found->second.end() ? on_curve(exact->second, bytes) : over_other_ranks(found->second, key.kind, ranks, bytes);
  const int known = exact != found->second.end() ? ranks : nearest_ranks(found->second, ranks);
  out.what = key.kind + " over " + std::to_string(known) + " ranks " + measured_with(found->second.at(known).backend, calibration);
  return out;
}

std::optional<Measured> of_metric(const Calibration& calibration, std::string_view place, const std::string& metric) {
  const auto found = representative(calibration.measurements, place, metric);
  if (!found) return std::nullopt;
  return Measured{found->value, relative_spread(found->time), "measured", metric + " " + measured_with(found->backend, calibration)};
}

std::optional<Measured> best_gemm(const std::map<std::pair<std::string, std::string>, FormatSurface>& surfaces, const Calibration& calibration,
                                  const std::string& place, std::string_view format) {
  const auto found = surfaces.find({place, std::string(format)});
  if (found == surfaces.end()) return std::nullopt;
  const std::string backend = place == "host" ? "host" : "cuda";
  return Measured{found->second.surface.best_rate() / 1e12, found->second.spread, "measured",
                  std::string(format) + " matrix product " + measured_with(backend, calibration)};
}

}  // namespace

bool MeasuredMachine::describes(const Board& board) const { return !board.id.empty() && tables_->calibration.machine.board == board.id; }

std::optional<Measured> MeasuredMachine::collective_s(std::string_view kind, int ranks, int nodes, double bytes) const {
  return collective(tables_->curves, tables_->calibration, {"gpu", std::string(kind), nodes}, ranks, bytes);
}

std::optional<Measured> MeasuredMachine::host_collective_s(std::string_view kind, int ranks, int nodes, double bytes) const {
  return collective(tables_->curves, tables_->calibration, {"host", std::string(kind), nodes}, ranks, bytes);
}

std::optional<Measured> MeasuredMachine::gemm_s(std::string_view format, double m, double n, double k) const {
  const auto found = tables_->surfaces.find({"gpu", std::string(format)});
  if (found == tables_->surfaces.end() || m < 1 || n < 1 || k < 1) return std::nullopt;
  const GemmSurface& surface = found->second.surface;
  const bool hit = surface.has(m, n, k);
  Measured out{surface.seconds(m, n, k), found->second.spread, hit ? "measured" : "interpolated", {}};
  if (!hit) {
    out.spread = std::hypot(out.spread, found->second.left_out.median) + Method::embedded().spread_per_octave * surface.octaves_away(m, n, k) / 3;
  }
  out.what = std::string(format) + " matrix products " + measured_with("cuda", tables_->calibration);
  return out;
}

std::optional<Measured> MeasuredMachine::gemm_tflops(std::string_view format) const {
  return best_gemm(tables_->surfaces, tables_->calibration, "gpu", format);
}

std::optional<Measured> MeasuredMachine::host_gemm_tflops(std::string_view format) const {
  return best_gemm(tables_->surfaces, tables_->calibration, "host", format);
}

std::optional<Measured> MeasuredMachine::memory_gb_per_s(std::string_view kind) const {
  return of_metric(tables_->calibration, "gpu", "memory." + std::string(kind));
}

std::optional<Measured> MeasuredMachine::host_memory_gb_per_s(std::string_view kind) const {
  return of_metric(tables_->calibration, "host", "memory." + std::string(kind));
}

std::optional<Measured> MeasuredMachine::transfer_gb_per_s(std::string_view direction) const {
  return of_metric(tables_->calibration, "gpu", "transfer." + std::string(direction));
}

std::optional<Measured> MeasuredMachine::peer_gb_per_s() const { return of_metric(tables_->calibration, "gpu", "peer.uni"); }

std::optional<double> MeasuredMachine::peer_access_share() const {
  for (const Reading& one : tables_->calibration.readings) {
    if (one.name == "peer_access_share") return parse_number(one.value);
  }
  return std::nullopt;
}

std::optional<Measured> MeasuredMachine::launch_s() const {
  auto out = of_metric(tables_->calibration, "gpu", "launch.latency");
  if (out) out->value *= 1e-6;
  return out;
}

MeasuredFactors MeasuredMachine::factors(const Board& board) const {
  return describes(board) ? derive_factors(tables_->calibration, board) : MeasuredFactors{};
}

Value MeasuredMachine::coefficients() const {
  Value out = Value::list();
  for (const Coefficient& one : tables_->calibration.coefficients) {
    Value entry = Value::map();
    entry["name"] = one.name;
    for (const auto& [name, value] : one.at) entry[name] = value;
    entry["value"] = one.value;
    entry["unit"] = one.unit;
    entry["spread"] = one.spread;
    entry["confidence"] = one.confidence;
    entry["from"] = tables_->calibration.file.empty() ? "measured" : "measured: " + tables_->calibration.file;
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace steelyard
