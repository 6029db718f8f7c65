// Measurements into coefficients; each formula stands in docs/reference/calibration.md.
#include <algorithm>
#include <cmath>

#include "calibrate/factors.hpp"
#include "calibrate/method.hpp"
#include "calibrate/rates.hpp"
#include "calibrate/statistics.hpp"
#include "calibrate/tables.hpp"

namespace steelyard {

namespace {

using namespace calibration;

class Derivation {
 public:
  explicit Derivation(Calibration& calibration) : calibration_(calibration) {}

  void add(Coefficient one) {
    one.confidence = Method::embedded().confidence_of(one.spread, one.fit_error_median);
    calibration_.coefficients.push_back(std::move(one));
  }

  // A metric whose value is already the coefficient.
  void rate(const std::string& place, const std::string& metric) {
    const auto found = representative(calibration_.measurements, place, metric);
    if (!found) return;
    Coefficient out;
    out.name = (place == "host" ? "host." : "") + metric;
    out.value = found->value;
    out.unit = found->unit;
    out.spread = relative_spread(found->time);
    out.samples = found->time.samples;
    add(std::move(out));
  }

  void collective(const CurveKey& key, int ranks, const CollectiveCurve& curve) {
    const double largest = curve.curve.points().back().bytes;
    Coefficient out;
    out.at = {{"ranks", ranks}, {"nodes", key.nodes}};
    out.spread = curve.spread;
    out.samples = curve.samples;
    out.fit_error_median = curve.fit.median;
    out.fit_error_max = curve.fit.most;
    const std::string name = (key.place == "host" ? "host." : "") + std::string("collective.") + key.kind;
    out.name = name + ".latency";
    out.value = curve.ends.latency_s * 1e6;
    out.unit = "us";
    add(out);
    out.name = name + ".bus_bandwidth";
    out.value = bus_gb_per_s(key.kind, ranks, largest, curve.curve.points().back().seconds);
    out.unit = "gb_per_s";
    add(out);
    out.name = name + ".asymptotic_bus_bandwidth";
    out.value = bus_gb_per_s(key.kind, ranks, curve.ends.bytes_per_s, 1);
    add(std::move(out));
  }

  void gemm(const std::string& place, const std::string& format, const FormatSurface& surface) {
    Coefficient out;
    out.name = (place == "host" ? "host." : "") + std::string("gemm.") + format;
    out.value = surface.surface.best_rate() / 1e12;
    out.unit = "tflops";
    out.spread = surface.spread;
    out.samples = surface.samples;
    if (surface.surface.points().size() >= 3) {
      out.fit_error_median = surface.left_out.median;
      out.fit_error_max = surface.left_out.most;
    }
    add(std::move(out));
  }

  // How much slower products are after a time under load.
  void steady_share(const std::string& format) {
    std::vector<double> shares;
    for (const Measurement& steady : calibration_.measurements) {
      if (steady.metric != "gemm" || steady.format != format || steady.state != "steady" || place_of(steady) != "gpu") continue;
      for (const Measurement& cold : calibration_.measurements) {
        if (cold.metric == "gemm" && cold.format == format && cold.state == "cold" && cold.at == steady.at && cold.value > 0) {
          shares.push_back(steady.value / cold.value);
        }
      }
    }
    if (shares.empty()) return;
    Coefficient out;
    out.name = "gemm." + format + ".steady_share";
    out.value = median(shares);
    out.unit = "share";
    out.samples = static_cast<int>(shares.size());
    add(std::move(out));
  }

  void factor(const std::string& name, const std::optional<Measured>& factor) {
    if (!factor) return;
    Coefficient out;
    out.name = "factor." + name;
    out.value = factor->value;
    out.unit = "share";
    out.spread = factor->spread;
    add(std::move(out));
  }

 private:
  Calibration& calibration_;
};

}  // namespace

void derive_coefficients(Calibration& calibration, const Board* board) {
  calibration.coefficients.clear();
  Derivation derive(calibration);
  for (const std::string place : {"gpu", "host"}) {
    for (const std::string metric :
         {"memory.copy", "memory.triad", "memory.latency", "transfer.h2d", "transfer.d2h", "peer.uni", "peer.bi", "peer.latency", "launch.latency"}) {
      derive.rate(place, metric);
    }
  }
  for (const auto& [key, surface] : gemm_surfaces(calibration.measurements)) {
    derive.gemm(key.first, key.second, surface);
    if (key.first == "gpu") derive.steady_share(key.second);
  }
  for (const auto& [key, by_ranks] : collective_curves(calibration.measurements)) {
    for (const auto& [ranks, curve] : by_ranks) derive.collective(key, ranks, curve);
  }
  if (!board) return;
  const MeasuredFactors factors = derive_factors(calibration, *board);
  derive.factor("interconnect", factors.interconnect);
  derive.factor("memory", factors.memory);
  derive.factor("software", factors.software);
}

}  // namespace steelyard
