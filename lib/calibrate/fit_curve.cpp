// Least-squares fits of curves; the only file of the curves that needs Eigen.
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "calibrate/curve.hpp"
#include "calibrate/statistics.hpp"

namespace steelyard::calibration {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Logs {
  VectorXd size, time;  // natural logs, sizes relative to the first
};

Logs logs_of(const Curve& curve) {
  const auto count = static_cast<Eigen::Index>(curve.points().size());
  Logs out{VectorXd(count), VectorXd(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const CurvePoint& point = curve.points()[static_cast<std::size_t>(i)];
    out.size[i] = std::log(point.bytes / curve.points().front().bytes);
    out.time[i] = std::log(point.seconds);
  }
  return out;
}

VectorXd least_squares(const MatrixXd& columns, const VectorXd& right) {
  const MatrixXd normal = columns.transpose() * columns + 1e-12 * MatrixXd::Identity(columns.cols(), columns.cols());
  return normal.ldlt().solve(columns.transpose() * right);
}

template <class Law>
FitError error_of(const Curve& curve, const Law& law) {
  std::vector<double> errors;
  for (const CurvePoint& point : curve.points()) errors.push_back(std::abs(law.at(point.bytes) / point.seconds - 1));
  return {median(errors), *std::max_element(errors.begin(), errors.end())};
}

// Knots are indices of inner points.
MatrixXd hinges(const VectorXd& size, const std::vector<Eigen::Index>& knots) {
  MatrixXd out(size.size(), 2 + static_cast<Eigen::Index>(knots.size()));
  out.col(0).setOnes();
  out.col(1) = size;
  for (std::size_t i = 0; i < knots.size(); ++i) out.col(2 + static_cast<Eigen::Index>(i)) = (size.array() - size[knots[i]]).cwiseMax(0.0).matrix();
  return out;
}

double residual(const Logs& logs, const std::vector<Eigen::Index>& knots) {
  const MatrixXd columns = hinges(logs.size, knots);
  const VectorXd left = logs.time - columns * least_squares(columns, logs.time);
  return left.squaredNorm();
}

// The best inner point to add as a knot, at least two points from every other knot and from the ends' neighbours; -1 where there is none.
Eigen::Index best_knot(const Logs& logs, const std::vector<Eigen::Index>& knots) {
  Eigen::Index best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (Eigen::Index at = 1; at + 1 < logs.size.size(); ++at) {
    if (std::any_of(knots.begin(), knots.end(), [&](Eigen::Index other) { return std::abs(other - at) < 2; })) continue;
    std::vector<Eigen::Index> more = knots;
    more.push_back(at);
    if (const double now = residual(logs, more); now < least) least = now, best = at;
  }
  return best;
}

// Moves each knot to its best place, given the others.
void settle_knots(const Logs& logs, std::vector<Eigen::Index>& knots) {
  for (std::size_t i = 0; i < knots.size(); ++i) {
    std::vector<Eigen::Index> others = knots;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (const Eigen::Index moved = best_knot(logs, others); moved >= 0) knots[i] = moved;
  }
}

Pieces pieces_through(const Curve& curve, const Logs& logs, std::vector<Eigen::Index> knots) {
  std::sort(knots.begin(), knots.end());
  const MatrixXd columns = hinges(logs.size, knots);
  const VectorXd fitted = columns * least_squares(columns, logs.time);
  Pieces out;
  knots.insert(knots.begin(), 0);
  knots.push_back(logs.size.size() - 1);
  for (const Eigen::Index at : knots) out.ends.push_back({curve.points()[static_cast<std::size_t>(at)].bytes, std::exp(fitted[at])});
  out.error = error_of(curve, out);
  return out;
}

}  // namespace

Pieces fit_pieces(const Curve& curve, const FitError& enough) {
  const Logs logs = logs_of(curve);
  std::vector<Eigen::Index> knots;
  Pieces out = pieces_through(curve, logs, knots);
  while (out.error.median > enough.median || out.error.most > enough.most) {
    const Eigen::Index next = best_knot(logs, knots);
    if (next < 0) break;
    knots.push_back(next);
    for (int round = 0; round < 2; ++round) settle_knots(logs, knots);
    out = pieces_through(curve, logs, knots);
  }
  return out;
}

ThreePieces fit_three_pieces(const Curve& curve) {
  const Logs logs = logs_of(curve);
  const double first = curve.points().front().bytes;
  ThreePieces best;
  double least = std::numeric_limits<double>::infinity();
  for (Eigen::Index low = 0; low < logs.size.size(); ++low) {
    for (Eigen::Index high = low; high < logs.size.size(); ++high) {
      const double flat = logs.size[low], rate = logs.size[high];
      MatrixXd columns(logs.size.size(), high > low ? 2 : 1);  // no middle piece where both knees fall together
      columns.col(0).setOnes();
      if (high > low) columns.col(1) = (logs.size.array() - flat).cwiseMax(0.0).cwiseMin(rate - flat).matrix();
      const VectorXd right = logs.time - (logs.size.array() - rate).cwiseMax(0.0).matrix();
      const VectorXd found = least_squares(columns, right);
      const double now = (right - columns * found).squaredNorm();
      if (now >= least || (high > low && found[1] <= 0)) continue;
      least = now;
      best = {std::exp(found[0]), first * std::exp(flat), first * std::exp(rate), high > low ? found[1] : 0.0, 0, {}};
    }
  }
  best.bytes_per_s = best.rate_from / best.at(best.rate_from);
  best.error = error_of(curve, best);
  return best;
}

}  // namespace steelyard::calibration
