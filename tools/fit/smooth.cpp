#include "smooth.hpp"

#include <Eigen/Cholesky>
#include <cmath>

namespace steelyard::fit {

namespace {

double covariance(const Smoother& smoother, const Place& a, const Place& b) {
  double out = 0;
  for (std::size_t i = 0; i < smoother.components.size() && i < a.curves.size() && i < b.curves.size(); ++i) {
    if (a.curves[i].empty() || a.curves[i] != b.curves[i]) continue;
    const auto& [sigma, length] = smoother.components[i];
    out += sigma * sigma * (length > 0 ? std::exp(-std::abs(a.at - b.at) / length) : 1);
  }
  return out;
}

}  // namespace

std::vector<Smoothed> smooth(const Smoother& smoother, const std::vector<Place>& known, const std::vector<double>& residuals,
                             const std::vector<Place>& wanted) {
  const auto n = static_cast<Eigen::Index>(known.size());
  Eigen::MatrixXd k(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) k(i, j) = covariance(smoother, known[i], known[j]) + (i == j ? smoother.noise * smoother.noise : 0);
  const Eigen::LLT<Eigen::MatrixXd, Eigen::Lower> factor(k);
  const Eigen::VectorXd weights = factor.solve(Eigen::Map<const Eigen::VectorXd>(residuals.data(), n));
  std::vector<Smoothed> out;
  for (const Place& place : wanted) {
    Eigen::VectorXd toward(n);
    for (Eigen::Index i = 0; i < n; ++i) toward(i) = covariance(smoother, place, known[i]);
    const double left = covariance(smoother, place, place) - toward.dot(factor.solve(toward));
    out.push_back({toward.dot(weights), std::sqrt(std::max(0.0, left))});
  }
  return out;
}

}  // namespace steelyard::fit
