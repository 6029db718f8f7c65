#include "evidence/read/matrix.hpp"

#include <algorithm>

#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

void NumberMatrix::Range::add(double value) {
  least = std::min(least.value_or(value), value);
  most = std::max(most.value_or(value), value);
}

NumberMatrix::Range NumberMatrix::all() const {
  Range range;
  for (const auto& row : rows) {
    for (const auto& cell : row) {
      if (cell) range.add(*cell);
    }
  }
  return range;
}

NumberMatrix::Range NumberMatrix::diagonal() const {
  Range range;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    if (at < rows[at].size() && rows[at][at]) range.add(*rows[at][at]);
  }
  return range;
}

NumberMatrix::Range NumberMatrix::off_diagonal() const {
  Range range;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      if (row != column && rows[row][column]) range.add(*rows[row][column]);
    }
  }
  return range;
}

std::size_t matrix_heading(std::string_view line) {
  std::vector<std::string_view> word = words(line);
  if (!word.empty() && (word[0] == "D\\D" || word[0] == "GPU" || word[0] == "CPU")) word.erase(word.begin());
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (integer(word[at]) != static_cast<std::int64_t>(at)) return 0;
  }
  return word.size();
}

bool read_matrix_row(std::string_view line, std::size_t decimals, NumberMatrix& matrix) {
  const std::vector<std::string_view> word = words(line);
  if (word.empty() || integer(word[0]) != static_cast<std::int64_t>(matrix.rows.size())) return false;
  std::vector<std::optional<double>> row;
  for (std::size_t at = 1; at < word.size() && row.size() < matrix.columns; ++at) {
    if (word[at] == "N/A") {
      row.emplace_back();
      continue;
    }
    const std::optional<double> value = number(word[at]);
    if (!value || (decimals > 0 && !has_decimals(word[at], decimals))) break;
    row.push_back(value);
  }
  matrix.cut = matrix.cut || row.size() < matrix.columns;
  if (row.empty()) return false;
  matrix.rows.push_back(std::move(row));
  return true;
}

}  // namespace steelyard::evidence
