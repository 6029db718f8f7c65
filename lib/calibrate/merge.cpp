// Several calibration files as one: medians, and how far the nodes lie apart.
#include <algorithm>
#include <steelyard/calibrate.hpp>
#include <tuple>

#include "calibrate/statistics.hpp"

namespace steelyard {

namespace {

using calibration::median;

auto key_of(const Measurement& one) { return std::tie(one.metric, one.backend, one.at, one.format, one.state, one.unit); }
auto key_of(const Coefficient& one) { return std::tie(one.name, one.at, one.unit); }

template <class T, class Get>
double median_of(const std::vector<T>& several, Get get) {
  std::vector<double> values;
  for (const T& one : several) values.push_back(get(one));
  return median(std::move(values));
}

template <class T>
double spread_over_nodes(const std::vector<T>& several) {
  const auto [least, most] =
      std::minmax_element(several.begin(), several.end(), [](const T& one, const T& other) { return one.value < other.value; });
  const double middle = median_of(several, [](const T& one) { return one.value; });
  return middle > 0 ? (most->value - least->value) / middle : 0;
}

Measurement join(const std::vector<Measurement>& several) {
  Measurement out = several.front();
  if (several.size() == 1) return out;
  out.value = median_of(several, [](const Measurement& one) { return one.value; });
  out.time.median_s = median_of(several, [](const Measurement& one) { return one.time.median_s; });
  out.time.mad_s = median_of(several, [](const Measurement& one) { return one.time.mad_s; });
  for (const Measurement& one : several) {
    out.time.min_s = std::min(out.time.min_s, one.time.min_s);
    out.time.p05_s = std::min(out.time.p05_s, one.time.p05_s);
    out.time.p95_s = std::max(out.time.p95_s, one.time.p95_s);
    if (&one == &several.front()) continue;
    out.time.stable = out.time.stable && one.time.stable;
  }
  out.time.samples = out.time.outliers = out.time.throttled = 0;
  for (const Measurement& one : several) {
    out.time.samples += one.time.samples;
    out.time.outliers += one.time.outliers;
    out.time.throttled += one.time.throttled;
  }
  out.node_spread = spread_over_nodes(several);
  return out;
}

Coefficient join(const std::vector<Coefficient>& several) {
  Coefficient out = several.front();
  if (several.size() == 1) return out;
  out.value = median_of(several, [](const Coefficient& one) { return one.value; });
  out.spread = median_of(several, [](const Coefficient& one) { return one.spread; });
  out.samples = 0;
  for (const Coefficient& one : several) {
    out.samples += one.samples;
    if (one.fit_error_max) out.fit_error_max = std::max(out.fit_error_max.value_or(0), *one.fit_error_max);
  }
  out.node_spread = spread_over_nodes(several);
  return out;
}

// Joins what has the same key, in the order of first appearance.
template <class T>
std::vector<T> join_all(const std::vector<Calibration>& calibrations, std::vector<T> Calibration::*member) {
  std::vector<std::vector<T>> groups;
  for (const Calibration& calibration : calibrations) {
    for (const T& one : calibration.*member) {
      const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return key_of(group.front()) == key_of(one); });
      if (found == groups.end()) {
        groups.push_back({one});
      } else {
        found->push_back(one);
      }
    }
  }
  std::vector<T> out;
  for (const auto& group : groups) out.push_back(join(group));
  return out;
}

template <class T>
void add_new(std::vector<T>& all, const std::vector<T>& more) {
  for (const T& one : more) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
}

}  // namespace

Calibration merge_calibrations(const std::vector<Calibration>& several) {
  Calibration out = several.front();
  if (several.size() == 1) return out;
  out.files = 0;
  for (const Calibration& one : several) {
    out.files += one.files;
    out.date = std::max(out.date, one.date);
    out.machine.nodes = std::max(out.machine.nodes, one.machine.nodes);
    if (out.machine.network.empty()) {
      out.machine.network = one.machine.network;
      out.machine.network_gbit_per_s_per_node = one.machine.network_gbit_per_s_per_node;
    }
    for (const auto& [name, version] : one.software) {
      std::string& known = out.software[name];
      if (known.find(version) == std::string::npos) known += (known.empty() ? "" : ", ") + version;
    }
    add_new(out.probes, one.probes);
    add_new(out.readings, one.readings);
  }
  out.measurements = join_all(several, &Calibration::measurements);
  out.coefficients = join_all(several, &Calibration::coefficients);
  return out;
}

}  // namespace steelyard
