// Time of matrix products between measured shapes.
#pragma once

#include <vector>

#include "calibrate/curve.hpp"

namespace steelyard::calibration {

struct GemmPoint {
  double m = 0, n = 0, k = 0;
  double seconds = 0;
};

/// A law t = start + ((operations / rate)^4 + (bytes / memory rate)^4)^(1/4), times what the nearest measured shapes deviate from it.
class GemmSurface {
 public:
  /// `bytes_per_element` of the operands; at least one point.
  GemmSurface(std::vector<GemmPoint> points, double bytes_per_element);

  double seconds(double m, double n, double k) const;
  /// True where that very shape was measured.
  bool has(double m, double n, double k) const;
  /// Doublings between the shape and the nearest measured one, summed over m, n, k.
  double octaves_away(double m, double n, double k) const;
  /// Errors when each point is left out in turn; zero for fewer than three points.
  FitError leave_one_out() const;
  /// Most operations per second of any point.
  double best_rate() const;
  const std::vector<GemmPoint>& points() const { return points_; }

 private:
  double law(double m, double n, double k) const;
  double deviation(double m, double n, double k, const GemmPoint* without) const;
  void fit();

  std::vector<GemmPoint> points_;
  double bytes_per_element_;
  double start_s_ = 0, rate_ = 1, memory_rate_ = 1;
};

}  // namespace steelyard::calibration
