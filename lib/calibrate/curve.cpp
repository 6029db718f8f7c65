#include "calibrate/curve.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/statistics.hpp"

namespace steelyard::calibration {

namespace {

double log_log(const CurvePoint& one, const CurvePoint& two, double bytes) {
  const double share = std::log(bytes / one.bytes) / std::log(two.bytes / one.bytes);
  return std::exp(std::log(one.seconds) + share * std::log(two.seconds / one.seconds));
}

// The piece that a size lies in; sizes beyond the ends belong to the end pieces. At least two points.
std::size_t piece_of(const std::vector<CurvePoint>& ends, double bytes) {
  const auto after = std::upper_bound(ends.begin(), ends.end(), bytes, [](double size, const CurvePoint& point) { return size < point.bytes; });
  const auto index = static_cast<std::size_t>(after - ends.begin());
  return std::clamp<std::size_t>(index, 1, ends.size() - 1) - 1;
}

}  // namespace

Curve::Curve(std::vector<CurvePoint> points) {
  std::erase_if(points, [](const CurvePoint& one) { return !(one.bytes > 0 && one.seconds > 0 && std::isfinite(one.bytes + one.seconds)); });
  std::sort(points.begin(), points.end(), [](const CurvePoint& one, const CurvePoint& two) { return one.bytes < two.bytes; });
  for (std::size_t first = 0; first < points.size();) {
    std::vector<double> same;
    std::size_t next = first;
    for (; next < points.size() && points[next].bytes == points[first].bytes; ++next) same.push_back(points[next].seconds);
    points_.push_back({points[first].bytes, median(std::move(same))});
    first = next;
  }
}

bool Curve::covers(double bytes) const { return !empty() && bytes >= points_.front().bytes && bytes <= points_.back().bytes; }

double Curve::within(double bytes) const {
  if (bytes <= points_.front().bytes || points_.size() == 1) return points_.front().seconds;
  if (bytes >= points_.back().bytes) return points_.back().seconds;
  const std::size_t piece = piece_of(points_, bytes);
  return log_log(points_[piece], points_[piece + 1], bytes);
}

double Curve::at(double bytes, const ThreePieces& law) const {
  if (covers(bytes)) return within(bytes);
  const CurvePoint& end = bytes < points_.front().bytes ? points_.front() : points_.back();
  return end.seconds * law.at(bytes) / law.at(end.bytes);
}

double ThreePieces::at(double bytes) const {
  const double middle = std::clamp(bytes, flat_until, rate_from) / flat_until;
  return latency_s * std::pow(middle, exponent) * std::max(1.0, bytes / rate_from);
}

double Pieces::at(double bytes) const {
  const std::size_t piece = piece_of(ends, bytes);
  return log_log(ends[piece], ends[piece + 1], bytes);
}

AlphaBeta alpha_beta(const Curve& curve, const ThreePieces& law) {
  std::vector<double> small;
  for (const CurvePoint& point : curve.points()) {
    if (point.bytes <= law.flat_until / 2) small.push_back(point.seconds);
  }
  const CurvePoint& last = curve.points().back();
  AlphaBeta out;
  out.latency_s = small.empty() ? curve.points().front().seconds : median(std::move(small));
  const double carried = last.seconds - out.latency_s;
  out.bytes_per_s = carried > 0 ? last.bytes / carried : last.bytes / last.seconds;
  return out;
}

FitError leave_one_out(const Curve& curve) {
  const auto& points = curve.points();
  std::vector<double> errors;
  for (std::size_t at = 1; at + 1 < points.size(); ++at) {
    errors.push_back(std::abs(log_log(points[at - 1], points[at + 1], points[at].bytes) / points[at].seconds - 1));
  }
  if (errors.empty()) return {};
  return {median(errors), *std::max_element(errors.begin(), errors.end())};
}

}  // namespace steelyard::calibration
