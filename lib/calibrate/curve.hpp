// Measured times over size: interpolation, and the laws that go beyond the measured range.
#pragma once

#include <optional>
#include <vector>

namespace steelyard::calibration {

struct CurvePoint {
  double bytes = 0;
  double seconds = 0;
};

/// Error of a fit at the points it was fitted to, relative.
struct FitError {
  double median = 0, most = 0;
};

/// Three pieces in log-log: a constant latency up to `flat_until`, a power of the size up to `rate_from`, a constant rate beyond.
struct ThreePieces {
  double latency_s = 0;
  double flat_until = 0, rate_from = 0;  // bytes
  double exponent = 0;                   // of the middle piece
  double bytes_per_s = 0;                // of the last piece
  FitError error;

  double at(double bytes) const;
};

/// Latency and rate of t = latency + bytes / rate, from the two ends of a curve.
struct AlphaBeta {
  double latency_s = 0;
  double bytes_per_s = 0;
};

/// As many straight pieces in log-log as the points call for (at least one), joined at their ends.
struct Pieces {
  std::vector<CurvePoint> ends;  // rising; one more than there are pieces
  FitError error;

  double at(double bytes) const;
};

/// Points in rising order of size, sizes unique, all positive.
class Curve {
 public:
  Curve() = default;
  /// Sorts, drops points that are not positive, and joins equal sizes by their median.
  explicit Curve(std::vector<CurvePoint> points);

  const std::vector<CurvePoint>& points() const { return points_; }
  bool empty() const { return points_.empty(); }
  bool covers(double bytes) const;
  /// Log-log between neighbours; beyond the ends the end point times the ratio of the law. The curve must not be empty.
  double at(double bytes, const ThreePieces& law) const;
  double within(double bytes) const;  // clamped to the ends

 private:
  std::vector<CurvePoint> points_;
};

/// Least squares of the log of time over all pairs of knees. At least one point.
ThreePieces fit_three_pieces(const Curve& curve);
/// Latency: median time of the sizes an octave and more below the end of the law's flat piece (of the smallest size where there are none).
/// Rate: that of the largest size after the latency is taken off.
AlphaBeta alpha_beta(const Curve& curve, const ThreePieces& law);
/// Knots are added one at a time (and moved) as long as the error is above `enough` and each piece keeps at least two points. At least two points.
Pieces fit_pieces(const Curve& curve, const FitError& enough = {0.015, 0.14});
/// Error at each inner point when it is left out and interpolated from the others: what an unmeasured size may be wrong by.
FitError leave_one_out(const Curve& curve);

}  // namespace steelyard::calibration
