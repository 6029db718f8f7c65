// The fit shared by all families of run times: a physical law with named parameters times shrunk offsets (random effects).
//
// How to use it for a new family (see train.cpp):
//   1. read the rows (csv.hpp) and turn each into a fit::Row: measured time, noise, levels, folds;
//   2. list the law's parameters with their prior medians and spreads, and give the law as a function of (theta, row index);
//   3. `fit` the problem, `cross_validate` it with whole families, sources, boards and models left out, print `errors`;
//   4. write theta and `offsets_of` as YAML (yaml_out.hpp).
// Everything is deterministic and single-threaded: the same rows give the same bytes.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "estimate/offsets/offsets.hpp"

namespace steelyard::fit {

using estimate::Level;

/// A positive number that the law takes. `median` and `spread` (sd of its log) are its prior; spread 0 = not fitted.
struct Parameter {
  std::string name;
  double median = 1;
  double spread = 0;
};

/// One measured run.
struct Row {
  std::string id;
  double measured = 0;  // time, any unit, positive
  double noise = 0.05;  // sd of the log of `measured` around law x offsets
  std::vector<Level> levels;
  std::map<std::string, std::string> folds;  // "family" -> "h100 llama3 70b": rows with the same word are left out together
  std::string group;                         // rows with the same group are reported together
};

/// Predicted time of one row. Must be positive for every positive theta.
using Law = std::function<double(std::span<const double> theta, std::size_t row)>;

struct Problem {
  std::vector<Parameter> parameters;
  std::vector<Row> rows;
  Law law;
};

struct Options {
  int huber_rounds = 3;  // rounds in which rows off by more than `knee` sd lose weight
  double knee = 2;
  int steps = 8;            // Gauss-Newton steps a round, at most
  double tolerance = 1e-5;  // stops when no log parameter moves by more
};

/// What was fitted. `theta` follows the order of the parameters; `spread` is the posterior sd of its log.
struct Fit {
  std::vector<double> theta, spread;
  std::map<std::string, double> offsets;  // by level name
  std::vector<std::size_t> rows;          // fitted rows
  std::vector<double> weights;            // of those rows: 1, less for outliers
};

/// Minimises |chol(K)^-1 (log measured - log law(theta))|^2 + |(log theta - log median) / spread|^2, K = noise^2 / weight + Z diag(sigma^2) Z',
/// by Gauss-Newton; the offsets follow as sigma^2 Z' K^-1 residual. `rows` empty: all of them. `start`: where to begin.
Fit fit(const Problem& problem, const Options& options = {}, std::vector<std::size_t> rows = {}, const Fit* start = nullptr);

/// The offsets of a fit as the library takes them.
estimate::Offsets offsets_of(const Problem& problem, const Fit& fitted);

struct Prediction {
  std::size_t row = 0;
  double time = 0;
  double log_sd = 0;  // of log(measured / time): the row's noise and the levels' variance
};
Prediction predict(const Problem& problem, const Fit& fitted, const estimate::Offsets& offsets, std::size_t row);
std::vector<Prediction> predict_all(const Problem& problem, const Fit& fitted);

/// Each row predicted by a fit that has not seen any row of the same fold word. Rows without that fold are left out.
std::vector<Prediction> cross_validate(const Problem& problem, const std::string& fold, const Fit& start, const Options& options = {});

/// The same at once for all folds, with the law taken as linear around the full fit and the fit's weights: exact for small moves of theta, and
/// hundreds of times faster. For choosing levels and terms; the figures that are reported come from `cross_validate`.
std::vector<Prediction> cross_validate_linear(const Problem& problem, const std::string& fold, const Fit& fitted);

/// Relative errors of predicted times; the interval is time x exp(+- width x log_sd).
struct Errors {
  std::size_t n = 0;
  double mape = 0, median = 0, p90 = 0, most = 0, bias = 0, inside = 0;
};
Errors errors(const Problem& problem, const std::vector<Prediction>& predictions, double width, const std::function<bool(const Row&)>& chosen = {});

/// Share of left-out rows that a stated interval is to hold. Rows whose like was fitted are held more often.
constexpr double covered_share = 0.87;

/// The half width in sd that holds `covered_share` of the chosen predictions, each made without its row: the ceil((n + 1) share)-th smallest of
/// |log error| / sd (split conformal prediction: Papadopoulos et al. 2002; Lei et al. 2018, arXiv:1604.04173). 1.645 where there are fewer than 8.
double held_width(const Problem& problem, const std::vector<Prediction>& predictions, const std::function<bool(const Row&)>& chosen = {});

/// "  34 rows  mape  4.5  median  2.1  p90  8.9  max 20.1  bias  0.3  inside 88.2" in percent.
std::string to_text(const Errors& errors);

}  // namespace steelyard::fit
