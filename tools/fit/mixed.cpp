#include "mixed.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace steelyard::fit {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The levels of the fitted rows with their sigmas; a level's sigma is that of its first row.
struct LevelMatrix {
  std::map<std::string, int> index;
  std::vector<double> sigma;
  std::vector<std::vector<int>> of_row;
};

LevelMatrix level_matrix(const Problem& problem, const std::vector<std::size_t>& rows) {
  LevelMatrix out;
  for (const std::size_t row : rows) {
    std::vector<int>& mine = out.of_row.emplace_back();
    for (const Level& level : problem.rows[row].levels) {
      const auto [place, fresh] = out.index.emplace(level.name, static_cast<int>(out.sigma.size()));
      if (fresh) out.sigma.push_back(level.sigma);
      mine.push_back(place->second);
    }
  }
  return out;
}

/// Z diag(sigma^2) Z'.
MatrixXd level_covariance(const LevelMatrix& levels) {
  const auto n = static_cast<Eigen::Index>(levels.of_row.size());
  std::vector<std::vector<Eigen::Index>> rows_of(levels.sigma.size());
  for (Eigen::Index row = 0; row < n; ++row)
    for (const int level : levels.of_row[row]) rows_of[level].push_back(row);
  MatrixXd out = MatrixXd::Zero(n, n);
  for (std::size_t level = 0; level < rows_of.size(); ++level)
    for (const Eigen::Index i : rows_of[level])
      for (const Eigen::Index j : rows_of[level]) out(i, j) += levels.sigma[level] * levels.sigma[level];
  return out;
}

/// Log residuals of the law and their derivatives by the log of the free parameters.
struct Linear {
  VectorXd residual;
  MatrixXd jacobian;
};

VectorXd residuals(const Problem& problem, const std::vector<std::size_t>& rows, const std::vector<double>& theta) {
  VectorXd out(static_cast<Eigen::Index>(rows.size()));
  for (Eigen::Index i = 0; i < out.size(); ++i) out(i) = std::log(problem.rows[rows[i]].measured / problem.law(theta, rows[i]));
  return out;
}

Linear linearise(const Problem& problem, const std::vector<std::size_t>& rows, const std::vector<double>& theta,
                 const std::vector<std::size_t>& open) {
  constexpr double step = 1e-4;  // of the log: the truncation error stays far below the noise
  Linear out{residuals(problem, rows, theta), MatrixXd(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(open.size()))};
  std::vector<double> moved = theta;
  for (std::size_t k = 0; k < open.size(); ++k) {
    moved[open[k]] = theta[open[k]] * std::exp(step);
    out.jacobian.col(static_cast<Eigen::Index>(k)) = (out.residual - residuals(problem, rows, moved)) / step;
    moved[open[k]] = theta[open[k]];
  }
  return out;
}

struct State {
  const Problem& problem;
  std::vector<std::size_t> rows, open;
  VectorXd noise_variance, prior_precision;
  MatrixXd levels;

  Eigen::LLT<MatrixXd> covariance(const VectorXd& weights) const {
    MatrixXd k = levels;
    k.diagonal() += noise_variance.cwiseQuotient(weights);
    return Eigen::LLT<MatrixXd>(k);
  }
  VectorXd from_prior(const std::vector<double>& theta) const {
    VectorXd out(static_cast<Eigen::Index>(open.size()));
    for (Eigen::Index k = 0; k < out.size(); ++k) out(k) = std::log(theta[open[k]] / problem.parameters[open[k]].median);
    return out;
  }
  double loss(const Eigen::LLT<MatrixXd>& factor, const std::vector<double>& theta) const {
    const VectorXd r = residuals(problem, rows, theta), p = from_prior(theta);
    return r.dot(factor.solve(r)) + p.dot(prior_precision.cwiseProduct(p));
  }
};

std::vector<double> moved_by(const State& state, const std::vector<double>& theta, const VectorXd& step, double scale) {
  std::vector<double> out = theta;
  for (std::size_t k = 0; k < state.open.size(); ++k)
    out[state.open[k]] *= std::exp(std::clamp(scale * step(static_cast<Eigen::Index>(k)), -1.0, 1.0));
  return out;
}

/// One Gauss-Newton step, halved until the loss falls. Gives the largest move of a log parameter; `spread` becomes the posterior sd.
double improve(const State& state, const Eigen::LLT<MatrixXd>& factor, std::vector<double>& theta, std::vector<double>& spread) {
  const Linear linear = linearise(state.problem, state.rows, theta, state.open);
  const MatrixXd scaled = factor.solve(linear.jacobian);
  MatrixXd normal = linear.jacobian.transpose() * scaled;
  normal.diagonal() += state.prior_precision;
  const Eigen::LLT<MatrixXd> solver(normal);
  const VectorXd gradient = scaled.transpose() * linear.residual - state.prior_precision.cwiseProduct(state.from_prior(theta));
  const VectorXd step = solver.solve(gradient);
  const VectorXd variance = solver.solve(MatrixXd::Identity(normal.rows(), normal.cols())).diagonal();
  for (std::size_t k = 0; k < state.open.size(); ++k) spread[state.open[k]] = std::sqrt(variance(static_cast<Eigen::Index>(k)));
  const double before = state.loss(factor, theta);
  for (int halvings = 0; halvings < 10; ++halvings) {
    const double scale = std::ldexp(1.0, -halvings);
    const std::vector<double> next = moved_by(state, theta, step, scale);
    if (!(state.loss(factor, next) <= before)) continue;
    theta = next;
    return scale * step.cwiseAbs().maxCoeff();
  }
  return 0;
}

/// Huber weights from what the offsets do not explain: noise x noise^2 K^-1 r scaled to unit noise.
VectorXd huber_weights(const State& state, const VectorXd& whitened, const VectorXd& weights, double knee) {
  VectorXd out(weights.size());
  for (Eigen::Index i = 0; i < out.size(); ++i) {
    const double own = std::abs(whitened(i)) * std::sqrt(state.noise_variance(i)) / weights(i);
    out(i) = own > knee ? knee / own : 1.0;
  }
  return out;
}

State make_state(const Problem& problem, std::vector<std::size_t> rows) {
  if (rows.empty()) {
    rows.resize(problem.rows.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
  }
  State state{problem, std::move(rows), {}, {}, {}, {}};
  for (std::size_t k = 0; k < problem.parameters.size(); ++k)
    if (problem.parameters[k].spread > 0) state.open.push_back(k);
  state.noise_variance.resize(static_cast<Eigen::Index>(state.rows.size()));
  for (Eigen::Index i = 0; i < state.noise_variance.size(); ++i) state.noise_variance(i) = std::pow(problem.rows[state.rows[i]].noise, 2);
  state.prior_precision.resize(static_cast<Eigen::Index>(state.open.size()));
  for (Eigen::Index k = 0; k < state.prior_precision.size(); ++k) state.prior_precision(k) = std::pow(problem.parameters[state.open[k]].spread, -2);
  return state;
}

std::map<std::string, double> shrunk_offsets(const LevelMatrix& levels, const VectorXd& whitened) {
  std::vector<double> sum(levels.sigma.size(), 0.0);
  for (std::size_t row = 0; row < levels.of_row.size(); ++row)
    for (const int level : levels.of_row[row]) sum[level] += whitened(static_cast<Eigen::Index>(row));
  std::map<std::string, double> out;
  for (const auto& [name, level] : levels.index) out[name] = levels.sigma[level] * levels.sigma[level] * sum[level];
  return out;
}

}  // namespace

Fit fit(const Problem& problem, const Options& options, std::vector<std::size_t> rows, const Fit* start) {
  State state = make_state(problem, std::move(rows));
  const LevelMatrix levels = level_matrix(problem, state.rows);
  state.levels = level_covariance(levels);
  Fit out;
  for (const Parameter& parameter : problem.parameters) out.theta.push_back(parameter.median);
  if (start) out.theta = start->theta;
  out.spread.assign(problem.parameters.size(), 0.0);
  VectorXd weights = VectorXd::Ones(static_cast<Eigen::Index>(state.rows.size())), whitened;
  for (int round = 0; round <= options.huber_rounds; ++round) {
    const Eigen::LLT<MatrixXd> factor = state.covariance(weights);
    for (int step = 0; step < options.steps && !state.open.empty(); ++step)
      if (improve(state, factor, out.theta, out.spread) < options.tolerance) break;
    whitened = factor.solve(residuals(problem, state.rows, out.theta));
    if (round < options.huber_rounds) weights = huber_weights(state, whitened, weights, options.knee);
  }
  out.offsets = shrunk_offsets(levels, whitened);
  out.rows = state.rows;
  out.weights.assign(weights.data(), weights.data() + weights.size());
  return out;
}

estimate::Offsets offsets_of(const Problem& problem, const Fit& fitted) {
  const LevelMatrix levels = level_matrix(problem, fitted.rows);
  std::vector<int> renumbered(levels.sigma.size());
  std::vector<estimate::FittedLevel> table;
  for (const auto& [name, level] : levels.index) {
    renumbered[level] = static_cast<int>(table.size());
    table.push_back({name, levels.sigma[level], fitted.offsets.at(name)});
  }
  std::map<std::vector<int>, double> cells;
  for (std::size_t i = 0; i < fitted.rows.size(); ++i) {
    std::vector<int> mine;
    for (const int level : levels.of_row[i]) mine.push_back(renumbered[level]);
    std::sort(mine.begin(), mine.end());
    cells[mine] += fitted.weights[i] / std::pow(problem.rows[fitted.rows[i]].noise, 2);
  }
  std::vector<estimate::LevelCell> list;
  for (const auto& [mine, precision] : cells) list.push_back({mine, precision});
  return {std::move(table), std::move(list)};
}

Prediction predict(const Problem& problem, const Fit& fitted, const estimate::Offsets& offsets, std::size_t row) {
  const estimate::Offsets::Sum sum = offsets.sum(problem.rows[row].levels);
  return {row, problem.law(fitted.theta, row) * std::exp(sum.offset), std::sqrt(sum.variance + std::pow(problem.rows[row].noise, 2))};
}

std::vector<Prediction> predict_all(const Problem& problem, const Fit& fitted) {
  const estimate::Offsets offsets = offsets_of(problem, fitted);
  std::vector<Prediction> out;
  for (std::size_t row = 0; row < problem.rows.size(); ++row) out.push_back(predict(problem, fitted, offsets, row));
  return out;
}

std::vector<Prediction> cross_validate(const Problem& problem, const std::string& fold, const Fit& start, const Options& options) {
  std::map<std::string, std::vector<std::size_t>> left_out;
  for (std::size_t row = 0; row < problem.rows.size(); ++row)
    if (const auto word = problem.rows[row].folds.find(fold); word != problem.rows[row].folds.end()) left_out[word->second].push_back(row);
  std::vector<Prediction> out;
  for (const auto& [word, rows] : left_out) {
    std::vector<std::size_t> others;
    for (std::size_t row = 0; row < problem.rows.size(); ++row)
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) others.push_back(row);
    if (others.empty()) continue;
    const Fit fitted = fit(problem, options, others, &start);
    const estimate::Offsets offsets = offsets_of(problem, fitted);
    for (const std::size_t row : rows) out.push_back(predict(problem, fitted, offsets, row));
  }
  return out;
}

std::vector<Prediction> cross_validate_linear(const Problem& problem, const std::string& fold, const Fit& fitted) {
  State state = make_state(problem, fitted.rows);
  state.levels = level_covariance(level_matrix(problem, state.rows));
  const Linear linear = linearise(problem, state.rows, fitted.theta, state.open);
  const VectorXd weights = Eigen::Map<const VectorXd>(fitted.weights.data(), static_cast<Eigen::Index>(fitted.weights.size()));
  // Parameters as one more random effect around their priors: leaving rows B out, residual B = ([C^-1]_BB)^-1 [C^-1 r]_B.
  MatrixXd covariance = state.levels + linear.jacobian * state.prior_precision.cwiseInverse().asDiagonal() * linear.jacobian.transpose();
  covariance.diagonal() += state.noise_variance.cwiseQuotient(weights);
  const VectorXd residual = linear.residual + linear.jacobian * state.from_prior(fitted.theta);
  const MatrixXd inverse = covariance.llt().solve(MatrixXd::Identity(covariance.rows(), covariance.cols()));
  const VectorXd whitened = inverse * residual;
  std::map<std::string, std::vector<Eigen::Index>> left_out;
  for (Eigen::Index i = 0; i < residual.size(); ++i) {
    const auto& folds = problem.rows[state.rows[i]].folds;
    if (const auto word = folds.find(fold); word != folds.end()) left_out[word->second].push_back(i);
  }
  std::vector<Prediction> out;
  for (const auto& [word, rows] : left_out) {
    const MatrixXd block = inverse(rows, rows).inverse();
    const VectorXd off = block * whitened(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t row = state.rows[rows[i]];
      out.push_back({row, problem.rows[row].measured * std::exp(-off(static_cast<Eigen::Index>(i))),
                     std::sqrt(block(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)))});
    }
  }
  return out;
}

Errors errors(const Problem& problem, const std::vector<Prediction>& predictions, double width, const std::function<bool(const Row&)>& chosen) {
  std::vector<double> sizes;
  Errors out;
  for (const Prediction& prediction : predictions) {
    const Row& row = problem.rows[prediction.row];
    if (chosen && !chosen(row)) continue;
    const double error = prediction.time / row.measured - 1;
    sizes.push_back(std::abs(error));
    out.bias += error;
    out.inside += std::abs(std::log(row.measured / prediction.time)) <= width * prediction.log_sd;
  }
  out.n = sizes.size();
  if (sizes.empty()) return out;
  std::sort(sizes.begin(), sizes.end());
  const auto n = static_cast<double>(out.n);
  out.mape = std::accumulate(sizes.begin(), sizes.end(), 0.0) / n;
  out.median = (sizes[(out.n - 1) / 2] + sizes[out.n / 2]) / 2;
  out.p90 = sizes[static_cast<std::size_t>(std::ceil(0.9 * n)) - 1];
  out.most = sizes.back();
  out.bias /= n;
  out.inside /= n;
  return out;
}

double held_width(const Problem& problem, const std::vector<Prediction>& predictions, const std::function<bool(const Row&)>& chosen) {
  constexpr std::size_t fewest = 8;
  std::vector<double> sizes;
  for (const Prediction& one : predictions) {
    const Row& row = problem.rows[one.row];
    if (!chosen || chosen(row)) sizes.push_back(std::abs(std::log(row.measured / one.time)) / one.log_sd);
  }
  if (sizes.size() < fewest) return 1.645;
  std::sort(sizes.begin(), sizes.end());
  const auto place = static_cast<std::size_t>(std::ceil((static_cast<double>(sizes.size()) + 1) * covered_share));
  return sizes[std::min(place, sizes.size()) - 1];
}

std::string to_text(const Errors& e) {
  return fmt::format("{:5} rows  mape {:5.1f}  median {:5.1f}  p90 {:5.1f}  max {:6.1f}  bias {:5.1f}  inside {:5.1f}", e.n, 100 * e.mape,
                     100 * e.median, 100 * e.p90, 100 * e.most, 100 * e.bias, 100 * e.inside);
}

}  // namespace steelyard::fit
