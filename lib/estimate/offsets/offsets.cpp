#include "estimate/offsets/offsets.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::estimate {

namespace {

/// Lower triangle L with L L' = matrix; the upper triangle is left as it was.
bool factor(std::vector<double>& a, int n) {
  for (int column = 0; column < n; ++column) {
    double* const own = &a[static_cast<std::size_t>(column) * n];
    for (int row = column; row < n; ++row) {
      double* const other = &a[static_cast<std::size_t>(row) * n];
      double sum = other[column];
      for (int k = 0; k < column; ++k) sum -= other[k] * own[k];
      if (row == column && !(sum > 0)) return false;
      other[column] = row == column ? std::sqrt(sum) : sum / own[column];
    }
  }
  return true;
}

/// Lower triangle L replaced by its inverse.
void invert_lower(std::vector<double>& a, int n) {
  for (int column = 0; column < n; ++column) {
    a[static_cast<std::size_t>(column) * n + column] = 1 / a[static_cast<std::size_t>(column) * n + column];
    for (int row = column + 1; row < n; ++row) {
      double* const line = &a[static_cast<std::size_t>(row) * n];
      double sum = 0;
      for (int k = column; k < row; ++k) sum -= line[k] * a[static_cast<std::size_t>(k) * n + column];
      line[column] = sum / line[row];
    }
  }
}

}  // namespace

bool invert_positive_definite(std::vector<double>& matrix, int size) {
  if (!factor(matrix, size)) return false;
  invert_lower(matrix, size);
  const std::vector<double> lower = matrix;
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column <= row; ++column) {
      double sum = 0;
      for (int k = row; k < size; ++k) sum += lower[static_cast<std::size_t>(k) * size + row] * lower[static_cast<std::size_t>(k) * size + column];
      matrix[static_cast<std::size_t>(row) * size + column] = matrix[static_cast<std::size_t>(column) * size + row] = sum;
    }
  }
  return true;
}

namespace {

/// Posterior covariance of the levels, square. With Z the cells' indicators, P their precisions and D the prior variances:
/// D - D Z' (Z D Z' + P^-1)^-1 Z D (Woodbury), since there are fewer cells than levels.
std::vector<double> covariance_of(const std::vector<FittedLevel>& levels, const std::vector<LevelCell>& cells) {
  const std::size_t n = levels.size(), m = cells.size();
  std::vector<double> prior(n), inner(m * m, 0.0), out(n * n, 0.0);
  std::vector<std::vector<int>> cells_of(n);
  for (std::size_t i = 0; i < n; ++i) out[i * n + i] = prior[i] = levels[i].sigma * levels[i].sigma;
  for (std::size_t a = 0; a < m; ++a) {
    inner[a * m + a] = 1 / cells[a].precision;
    for (const int level : cells[a].levels) cells_of[level].push_back(static_cast<int>(a));
  }
  for (std::size_t level = 0; level < n; ++level)
    for (const int a : cells_of[level])
      for (const int b : cells_of[level]) inner[a * m + b] += prior[level];
  if (!invert_positive_definite(inner, static_cast<int>(m))) return out;
  // Z' inner Z by its rows: first inner Z, then what the cells of a level add up to.
  std::vector<double> half(m * n, 0.0);
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b)
      for (const int j : cells[b].levels) half[a * n + j] += inner[a * m + b];
  std::vector<double> row(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (const int a : cells_of[i])
      for (std::size_t j = 0; j < n; ++j) row[j] += half[static_cast<std::size_t>(a) * n + j];
    for (std::size_t j = 0; j < n; ++j) out[i * n + j] -= prior[i] * prior[j] * row[j];
  }
  return out;
}

}  // namespace

Offsets::Offsets(std::vector<FittedLevel> levels, std::vector<LevelCell> cells) : levels_(std::move(levels)), cells_(std::move(cells)) {
  std::erase_if(cells_, [](const LevelCell& cell) { return !(cell.precision > 0); });
  for (std::size_t i = 0; i < levels_.size(); ++i) index_.emplace(levels_[i].name, static_cast<int>(i));
  covariance_ = covariance_of(levels_, cells_);
}

int Offsets::index_of(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  return found == index_.end() ? -1 : found->second;
}

Offsets::Sum Offsets::sum(std::span<const Level> levels) const {
  constexpr std::size_t most = 32;  // levels of one request
  int known[most];
  std::size_t count = 0;
  Sum out;
  for (const Level& level : levels) {
    const int index = count < most ? index_of(level.name) : -1;
    if (index < 0) {
      out.variance += level.sigma * level.sigma;
      continue;
    }
    out.offset += levels_[index].offset;
    known[count++] = index;
  }
  const std::size_t n = levels_.size();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j) out.variance += covariance_[static_cast<std::size_t>(known[i]) * n + known[j]];
  return out;
}

}  // namespace steelyard::estimate
