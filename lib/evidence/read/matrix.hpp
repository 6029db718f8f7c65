// Square and other number tables with a row of column numbers above them, as nvbandwidth and p2pBandwidthLatencyTest print them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace steelyard::evidence {

struct NumberMatrix {
  std::size_t columns = 0;
  std::vector<std::vector<std::optional<double>>> rows;  // whole cells; empty for "N/A"
  bool cut = false;                                      // a row or a number ended early

  /// Smallest and largest of all cells, or of those on or off the diagonal.
  struct Range {
    std::optional<double> least, most;
    void add(double value);
  };
  Range all() const;
  Range diagonal() const;
  Range off_diagonal() const;
};

/// "     D\D     0      1      2" or "           0         1": the number of columns, 0 where it is no such line.
std::size_t matrix_heading(std::string_view line);
/// One row below it; false where the line is none. `decimals` digits behind the point are always printed: fewer mean a cut number (0: integers).
bool read_matrix_row(std::string_view line, std::size_t decimals, NumberMatrix& matrix);

}  // namespace steelyard::evidence
