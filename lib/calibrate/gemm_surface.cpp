#include "calibrate/gemm_surface.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "calibrate/statistics.hpp"

namespace steelyard::calibration {

namespace {

using Eigen::Vector3d;

double operations(double m, double n, double k) { return 2 * m * n * k; }
double elements(double m, double n, double k) { return m * k + k * n + m * n; }

// Parameters as logs: start time, seconds per operation, seconds per byte.
double law_time(const Vector3d& logs, double work, double bytes) {
  return std::exp(logs[0]) + std::pow(std::pow(std::exp(logs[1]) * work, 4) + std::pow(std::exp(logs[2]) * bytes, 4), 0.25);
}

// Distance in octaves; m matters more than n and k: tiles are cut along it first, and its measured range is the widest.
double distance(const GemmPoint& point, double m, double n, double k) {
  const double dm = std::log2(m / point.m) / 1.5, dn = std::log2(n / point.n) / 2.5, dk = std::log2(k / point.k) / 2.5;
  return std::sqrt(dm * dm + dn * dn + dk * dk);
}

}  // namespace

GemmSurface::GemmSurface(std::vector<GemmPoint> points, double bytes_per_element)
    : points_(std::move(points)), bytes_per_element_(bytes_per_element) {
  fit();
}

// Damped Gauss-Newton on the logs of the times. A weak pull to the start values keeps parameters that no point shows where they are.
void GemmSurface::fit() {
  double least_time = points_.front().seconds, per_byte = 1;
  for (const GemmPoint& one : points_) {
    least_time = std::min(least_time, one.seconds);
    per_byte = std::min(per_byte, one.seconds / (bytes_per_element_ * elements(one.m, one.n, one.k)));
  }
  const Vector3d start(std::log(least_time / 20), -std::log(best_rate()), std::log(per_byte / 2));
  const auto residuals = [&](const Vector3d& logs) {
    Eigen::VectorXd out(static_cast<Eigen::Index>(points_.size()) + 3);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const GemmPoint& one = points_[i];
      const double bytes = bytes_per_element_ * elements(one.m, one.n, one.k);
      out[static_cast<Eigen::Index>(i)] = std::log(law_time(logs, operations(one.m, one.n, one.k), bytes) / one.seconds);
    }
    out.tail<3>() = 0.1 * (logs - start);
    return out;
  };
  Vector3d logs = start;
  Eigen::VectorXd now = residuals(logs);
  double damping = 1e-2;
  for (int round = 0; round < 60 && damping < 1e6; ++round) {
    Eigen::MatrixXd slope(now.size(), 3);
    for (int i = 0; i < 3; ++i) slope.col(i) = (residuals(logs + 1e-5 * Vector3d::Unit(i)) - now) / 1e-5;
    const Eigen::Matrix3d normal = slope.transpose() * slope + damping * Eigen::Matrix3d::Identity();
    const Vector3d next = logs - normal.ldlt().solve(slope.transpose() * now);
    const Eigen::VectorXd there = residuals(next);
    const bool better = there.squaredNorm() < now.squaredNorm();
    damping *= better ? 0.3 : 4;
    if (better) logs = next, now = there;
  }
  start_s_ = std::exp(logs[0]);
  rate_ = std::exp(-logs[1]);
  memory_rate_ = std::exp(-logs[2]);
}

double GemmSurface::law(double m, double n, double k) const {
  const Vector3d logs(std::log(start_s_), -std::log(rate_), -std::log(memory_rate_));
  return law_time(logs, operations(m, n, k), bytes_per_element_ * elements(m, n, k));
}

// Log of measured over law, averaged over the four nearest points by inverse distance; fades out six octaves away.
double GemmSurface::deviation(double m, double n, double k, const GemmPoint* without) const {
  std::vector<std::pair<double, double>> near;  // distance, log deviation
  for (const GemmPoint& one : points_) {
    if (&one != without) near.emplace_back(distance(one, m, n, k), std::log(one.seconds / law(one.m, one.n, one.k)));
  }
  std::sort(near.begin(), near.end());
  near.resize(std::min<std::size_t>(near.size(), 4));
  if (near.empty()) return 0;
  if (near.front().first < 1e-9) return near.front().second;
  double weights = 0, sum = 0;
  for (const auto& [far, log_deviation] : near) {
    const double weight = 1 / (far * far);
    weights += weight;
    sum += weight * log_deviation;
  }
  return sum / weights * std::clamp(1.5 - near.front().first / 4, 0.0, 1.0);
}

double GemmSurface::seconds(double m, double n, double k) const { return law(m, n, k) * std::exp(deviation(m, n, k, nullptr)); }

bool GemmSurface::has(double m, double n, double k) const {
  return std::any_of(points_.begin(), points_.end(), [&](const GemmPoint& one) { return one.m == m && one.n == n && one.k == k; });
}

double GemmSurface::octaves_away(double m, double n, double k) const {
  double least = 1e9;
  for (const GemmPoint& one : points_) {
    least = std::min(least, std::abs(std::log2(m / one.m)) + std::abs(std::log2(n / one.n)) + std::abs(std::log2(k / one.k)));
  }
  return least;
}

FitError GemmSurface::leave_one_out() const {
  if (points_.size() < 3) return {};
  std::vector<double> errors;
  for (const GemmPoint& one : points_) {
    const double predicted = law(one.m, one.n, one.k) * std::exp(deviation(one.m, one.n, one.k, &one));
    errors.push_back(std::abs(predicted / one.seconds - 1));
  }
  return {median(errors), *std::max_element(errors.begin(), errors.end())};
}

double GemmSurface::best_rate() const {
  double best = 0;
  for (const GemmPoint& one : points_) best = std::max(best, operations(one.m, one.n, one.k) / one.seconds);
  return best;
}

}  // namespace steelyard::calibration
