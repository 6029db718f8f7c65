// Order statistics of measured times.
#pragma once

#include <span>
#include <steelyard/calibrate.hpp>
#include <vector>

namespace steelyard::calibration {

/// Of a non-empty sorted range, linear between neighbours: share 0 is the least, 1 the greatest.
double quantile(std::span<const double> sorted, double share);
/// Of a non-empty list, in any order.
double median(std::vector<double> values);
/// Median absolute deviation from the median.
double median_deviation(const std::vector<double>& values);
/// One standard deviation of a normal law with that median absolute deviation.
constexpr double kSigmaOfMad = 1.4826;

/// Of at least one sample. `throttled` and `stable` stay as they are by default.
TimeStatistics summarise(const std::vector<double>& seconds);
/// By how much a deviation of few samples is too small on average.
double few_samples_factor(int samples);
/// Relative robust standard deviation, widened where the samples are few.
double relative_spread(const TimeStatistics& time);
/// Do these times lie within `tolerance` (relative, largest to least) of each other?
bool settled(std::span<const double> seconds, double tolerance);

}  // namespace steelyard::calibration
