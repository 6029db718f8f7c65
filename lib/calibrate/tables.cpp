#include "calibrate/tables.hpp"

#include <algorithm>

#include "calibrate/statistics.hpp"

namespace steelyard::calibration {

namespace {

constexpr std::string_view kCollective = "collective.";

int count_of(const Measurement& one, std::string_view name) { return static_cast<int>(one.condition(name).value_or(1)); }

CollectiveCurve curve_of(const std::vector<const Measurement*>& points) {
  std::vector<CurvePoint> times;
  std::vector<double> spreads;
  CollectiveCurve out;
  for (const Measurement* one : points) {
    times.push_back({one->condition("bytes").value_or(0), one->time.median_s});
    spreads.push_back(relative_spread(one->time));
    out.samples += one->time.samples;
  }
  out.curve = Curve(std::move(times));
  if (out.curve.empty()) return out;
  out.law = fit_three_pieces(out.curve);
  out.ends = alpha_beta(out.curve, out.law);
  out.fit = out.curve.points().size() > 1 ? fit_pieces(out.curve).error : FitError{};
  out.spread = median(std::move(spreads));
  out.backend = points.front()->backend;
  return out;
}

}  // namespace

double bytes_of_format(std::string_view format) {
  if (format == "fp64") return 8;
  if (format == "bf16" || format == "fp16") return 2;
  if (format == "fp8" || format == "int8") return 1;
  return 4;
}

std::string place_of(const Measurement& one) { return one.backend == "host" ? "host" : "gpu"; }

std::map<CurveKey, CurvesByRanks> collective_curves(const std::vector<Measurement>& measurements) {
  std::map<CurveKey, std::map<int, std::vector<const Measurement*>>> points;
  for (const Measurement& one : measurements) {
    if (one.metric.rfind(kCollective, 0) != 0 || count_of(one, "ranks") < 2) continue;
    points[{place_of(one), one.metric.substr(kCollective.size()), count_of(one, "nodes")}][count_of(one, "ranks")].push_back(&one);
  }
  std::map<CurveKey, CurvesByRanks> out;
  for (const auto& [key, by_ranks] : points) {
    for (const auto& [ranks, list] : by_ranks) {
      if (CollectiveCurve curve = curve_of(list); !curve.curve.empty()) out[key].emplace(ranks, std::move(curve));
    }
  }
  return out;
}

std::map<std::pair<std::string, std::string>, FormatSurface> gemm_surfaces(const std::vector<Measurement>& measurements) {
  std::map<std::pair<std::string, std::string>, std::vector<const Measurement*>> groups;
  for (const Measurement& one : measurements) {
    if (one.metric == "gemm" && one.time.median_s > 0) groups[{place_of(one), one.format}].push_back(&one);
  }
  std::map<std::pair<std::string, std::string>, FormatSurface> out;
  for (auto& [key, group] : groups) {
    // Steady points count before cold ones of the same shape; all others stay.
    std::erase_if(group, [&group = group](const Measurement* one) {
      return one->state == "cold" &&
             std::any_of(group.begin(), group.end(), [&](const Measurement* other) { return other->state == "steady" && other->at == one->at; });
    });
    // Of products by several numbers of CPU threads, those by most threads.
    double threads = 0;
    for (const Measurement* one : group) threads = std::max(threads, one->condition("threads").value_or(0));
    std::erase_if(group, [&](const Measurement* one) { return one->condition("threads").value_or(0) < threads; });
    std::vector<GemmPoint> points;
    std::vector<double> spreads;
    int samples = 0;
    for (const Measurement* one : group) {
      points.push_back({one->condition("m").value_or(1), one->condition("n").value_or(1), one->condition("k").value_or(1), one->time.median_s});
      spreads.push_back(relative_spread(one->time));
      samples += one->time.samples;
    }
    GemmSurface surface(std::move(points), bytes_of_format(key.second));
    const FitError left_out = surface.leave_one_out();
    out.emplace(key, FormatSurface{std::move(surface), left_out, median(std::move(spreads)), samples});
  }
  return out;
}

std::optional<Measurement> representative(const std::vector<Measurement>& measurements, std::string_view place, std::string_view metric) {
  double largest = -1;
  std::vector<const Measurement*> at_largest;
  for (const Measurement& one : measurements) {
    if (one.metric != metric || place_of(one) != place) continue;
    const double bytes = one.condition("bytes").value_or(0);
    if (bytes > largest) at_largest.clear(), largest = bytes;
    if (bytes == largest) at_largest.push_back(&one);
  }
  if (at_largest.empty()) return std::nullopt;
  std::vector<double> values;
  for (const Measurement* one : at_largest) values.push_back(one->value);
  const double middle = median(std::move(values));
  // The measured one nearest to the median carries the statistics.
  Measurement out = **std::min_element(at_largest.begin(), at_largest.end(), [&](const Measurement* one, const Measurement* other) {
    return std::abs(one->value - middle) < std::abs(other->value - middle);
  });
  out.value = middle;
  return out;
}

}  // namespace steelyard::calibration
