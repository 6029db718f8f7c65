#include "calibrate/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::calibration {

double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

double median_deviation(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return median(std::move(distances));
}

TimeStatistics summarise(const std::vector<double>& seconds) {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  TimeStatistics out;
  out.median_s = quantile(sorted, 0.5);
  out.mad_s = median_deviation(sorted);
  out.min_s = sorted.front();
  out.p05_s = quantile(sorted, 0.05);
  out.p95_s = quantile(sorted, 0.95);
  out.samples = static_cast<int>(sorted.size());
  // A clock with coarse ticks can make the deviation 0: then 1 % of the median still counts as inside.
  const double limit = std::max(3 * kSigmaOfMad * out.mad_s, 0.01 * out.median_s);
  out.outliers = static_cast<int>(std::count_if(sorted.begin(), sorted.end(), [&](double one) { return std::abs(one - out.median_s) > limit; }));
  return out;
}

double few_samples_factor(int samples) {
  // Croux and Rousseeuw, "Time-efficient algorithms for two highly robust estimators of scale" (1992), table for the MAD.
  constexpr double factors[] = {1.196, 1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107};
  if (samples < 2) return 1;
  return samples < 10 ? factors[samples - 2] : samples / (samples - 0.8);
}

double relative_spread(const TimeStatistics& time) {
  return time.median_s > 0 ? few_samples_factor(time.samples) * kSigmaOfMad * time.mad_s / time.median_s : 0;
}

bool settled(std::span<const double> seconds, double tolerance) {
  if (seconds.empty()) return false;
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return *most - *least <= tolerance * *least;
}

}  // namespace steelyard::calibration
