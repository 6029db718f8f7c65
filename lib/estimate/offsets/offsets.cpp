#include "estimate/offsets/offsets.hpp"

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

Offsets::Offsets(std::vector<FittedLevel> levels, std::vector<LevelCell> cells) : levels_(std::move(levels)), cells_(std::move(cells)) {
  const int n = static_cast<int>(levels_.size());
  covariance_.assign(static_cast<std::size_t>(n) * n, 0.0);
  for (int i = 0; i < n; ++i) {
    index_.emplace(levels_[i].name, i);
    covariance_[static_cast<std::size_t>(i) * n + i] = 1 / (levels_[i].sigma * levels_[i].sigma);
  }
  for (const LevelCell& cell : cells_)
    for (const int i : cell.levels)
      for (const int j : cell.levels) covariance_[static_cast<std::size_t>(i) * n + j] += cell.precision;
  invert_positive_definite(covariance_, n);
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
