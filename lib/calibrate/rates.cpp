#include "calibrate/rates.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::calibration {

const std::vector<std::string>& collective_kinds() {
  static const std::vector<std::string> kinds{"all_reduce", "all_gather", "reduce_scatter", "alltoall", "send_recv"};
  return kinds;
}

std::optional<double> traffic_share(std::string_view kind, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  if (kind == "all_reduce") return 2 * others;
  if (kind == "all_gather" || kind == "reduce_scatter" || kind == "alltoall") return others;
  if (kind == "send_recv") return 1;
  return std::nullopt;
}

double bus_gb_per_s(std::string_view kind, int ranks, double bytes, double seconds) {
  return traffic_share(kind, ranks).value_or(0) * gb_per_s(bytes, seconds);
}

double gb_per_s(double bytes, double seconds) { return seconds > 0 ? bytes / seconds / 1e9 : 0; }

std::optional<double> stream_bytes(std::string_view kind, double array_bytes) {
  if (kind == "copy") return 2 * array_bytes;
  if (kind == "triad") return 3 * array_bytes;
  return std::nullopt;
}

double tflops(double m, double n, double k, double seconds) { return seconds > 0 ? 2 * m * n * k / seconds / 1e12 : 0; }

std::vector<double> size_ladder(double least, double most, int points) {
  const int first = static_cast<int>(std::ceil(std::log2(least))), last = static_cast<int>(std::floor(std::log2(most)));
  int step = 1;
  while (step < 4 && (last - first) / step + 1 > points) step *= 2;
  std::vector<double> sizes;
  for (int power = last; power >= first; power -= step) sizes.push_back(std::exp2(power));
  if (!sizes.empty() && sizes.back() > std::exp2(first)) sizes.push_back(std::exp2(first));
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

int points_for(double budget_s, double seconds_each, int least, int most) {
  return std::clamp(static_cast<int>(std::min(budget_s / seconds_each, 1e6)), least, most);
}

}  // namespace steelyard::calibration
