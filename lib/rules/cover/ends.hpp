// The ends of the intervals of one table, and on which side of them test rows lie.
#pragma once

#include <string>
#include <vector>

#include "rules/lint/table.hpp"
#include "rules/session_state.hpp"

namespace steelyard::rules {

/// One boundary between a number and what lies beside it: `>= 80` has one between 80 and less, `> 80` one between 80 and more.
struct End {
  int column = -1;
  double value = 0;
  bool above = false;  // the other side is more than the number
  int rule = -1;       // the first that has it
  bool at = false, beside = false;

  bool covered() const { return at && beside; }
};

class Ends {
 public:
  explicit Ends(const analysis::Table& table);

  /// Marks the sides on which the values of this session lie.
  void mark(Session::State& state);
  const std::vector<End>& all() const { return ends_; }
  /// "csi: no row just below 500".
  std::string missing(const End& end) const;

 private:
  void collect(const analysis::Formula& formula, int rule);
  void add(int column, double value, bool above, int rule);

  const analysis::Table& table_;
  std::vector<End> ends_;
};

}  // namespace steelyard::rules
