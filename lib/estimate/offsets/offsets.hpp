// Shrunk random offsets: how far a framework, a board, a model ... lies from what the physical law says.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace steelyard::estimate {

/// One level of a request, e.g. "framework: nemo". `sigma`: spread (log of time) of such offsets around zero, known before any data.
struct Level {
  std::string name;
  double sigma = 0;
};

/// A level that the measured rows contain, with its fitted offset (log of time).
struct FittedLevel {
  std::string name;
  double sigma = 0;
  double offset = 0;
};

/// Rows that share all their levels: indices into the table of levels and the rows' summed precision (1 / variance of the noise).
struct LevelCell {
  std::vector<int> levels;
  double precision = 0;
};

/// Random effects with zero mean. The posterior covariance of the offsets is (diag(1/sigma^2) + sum over cells of precision x indicator)^-1;
/// an unseen level has offset 0 and variance sigma^2. Source: Henderson 1975, best linear unbiased prediction, doi:10.2307/2529430.
class Offsets {
 public:
  Offsets() = default;
  Offsets(std::vector<FittedLevel> levels, std::vector<LevelCell> cells);

  struct Sum {
    double offset = 0;    // to add to the log of time
    double variance = 0;  // of that sum, without the row's own noise
  };
  Sum sum(std::span<const Level> levels) const;
  bool seen(std::string_view name) const { return index_of(name) >= 0; }

  const std::vector<FittedLevel>& levels() const { return levels_; }
  const std::vector<LevelCell>& cells() const { return cells_; }

 private:
  int index_of(std::string_view name) const;

  std::vector<FittedLevel> levels_;
  std::vector<LevelCell> cells_;
  std::unordered_map<std::string, int> index_;
  std::vector<double> covariance_;  // square, levels x levels
};

/// The inverse of a symmetric positive definite matrix of `size` rows, in place (Cholesky); false where it is not positive definite.
bool invert_positive_definite(std::vector<double>& matrix, int size);

}  // namespace steelyard::estimate
