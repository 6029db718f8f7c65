// The measurements of a calibration sorted for questions: curves by kind and rank count, surfaces by format, best rates.
#pragma once

#include <map>
#include <steelyard/calibrate.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "calibrate/curve.hpp"
#include "calibrate/gemm_surface.hpp"

namespace steelyard::calibration {

/// Bytes of one stored element of a number format; 4 where the format is not known.
double bytes_of_format(std::string_view format);
/// "host" for the host backend, "gpu" for the others.
std::string place_of(const Measurement& one);

struct CollectiveCurve {
  Curve curve;
  ThreePieces law;
  AlphaBeta ends;
  FitError fit;       // of as many pieces as needed
  double spread = 0;  // median over the points
  int samples = 0;
  std::string backend;
};

/// All curves of one kind over one number of nodes, by ranks.
using CurvesByRanks = std::map<int, CollectiveCurve>;
struct CurveKey {
  std::string place, kind;
  int nodes = 1;
  friend auto operator<=>(const CurveKey&, const CurveKey&) = default;  // NOLINT(modernize-use-nullptr): the defaulted comparison is none
};
std::map<CurveKey, CurvesByRanks> collective_curves(const std::vector<Measurement>& measurements);

struct FormatSurface {
  GemmSurface surface;
  FitError left_out;  // when each shape is predicted from the others
  double spread = 0;
  int samples = 0;
};
/// By place and format; where a format was measured under load, only those points.
std::map<std::pair<std::string, std::string>, FormatSurface> gemm_surfaces(const std::vector<Measurement>& measurements);

/// The measurement of a metric that stands for it: of the largest size; medians over devices and pairs where there are several.
std::optional<Measurement> representative(const std::vector<Measurement>& measurements, std::string_view place, std::string_view metric);

}  // namespace steelyard::calibration
