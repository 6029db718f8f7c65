// Figures of the method, from data/evidence/calibration_method.yaml.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace steelyard::calibration {

struct ConfidenceRow {
  std::string word;
  double spread = 0;     // relative, at most
  double fit_error = 0;  // relative, at most
};

struct Method {
  std::vector<ConfidenceRow> confidence;
  std::string confidence_otherwise;
  double latency_exponent_of_ranks = 0, rate_exponent_of_ranks = 0;
  double spread_per_octave = 0;

  static const Method& embedded();
  std::string confidence_of(double spread, std::optional<double> fit_error) const;
};

}  // namespace steelyard::calibration
