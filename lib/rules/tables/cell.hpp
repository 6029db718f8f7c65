// Unary tests of decision tables: `-`, `>= 80`, `[500..5000)`, `"a","b"`, `not("a")`.
#pragma once

#include <optional>
#include <steelyard/source_location.hpp>
#include <string>
#include <vector>

#include "rules/language/checker.hpp"
#include "rules/language/evaluator.hpp"

namespace steelyard::rules {

/// One alternative of a cell. equal: `low` is the value (a list: one of it). range: between `low` and `high`, either may be missing.
struct Test {
  enum class Form : unsigned char { equal, range };
  Form form = Form::equal;
  bool has_low = false, has_high = false;
  bool low_open = false, high_open = false;  // the end itself does not belong to the range
  Expr low, high;
  double least = 0, most = 0;  // of constant number ranges; infinite where an end is missing
  bool constant_range = false;
};

struct Cell {
  std::string text;
  SourceLocation where;
  bool any = false;      // `-`
  bool negated = false;  // not(...)
  std::vector<Test> tests;
};

/// A cell as the scalar evaluator walks it: small, and direct for what nearly all cells are.
struct QuickCell {
  enum class Form : unsigned char { range, equal, general };
  Form form = Form::general;
  bool negated = false;
  int slot = -1;
  double least = 0, most = 0;  // range: both ends belong to it
  std::vector<Datum> values;   // equal
  const Cell* cell = nullptr;
};
QuickCell quick(const Cell& cell, int slot);
Datum test_any_form(const QuickCell& cell, const Datum& input, Frame& frame);
/// The same as `test_cell`; inline, because deciding consists of little else.
inline Datum test_quick(const QuickCell& cell, const Datum& input, Frame& frame) {
  if (cell.form == QuickCell::Form::range && input.kind == Kind::real) return Datum(input.real >= cell.least && input.real <= cell.most);
  return test_any_form(cell, input, frame);
}

/// Faults carry offsets in `text`.
Cell parse_cell(const std::string& text, const SourceLocation& where, Heap& heap, Faults& faults);
/// Resolves the ends, checks their kind and unit against the input, prepares constant ranges.
void resolve_cell(Cell& cell, const Scope& scope, Faults& faults);
void check_cell(Cell& cell, const Meaning& input, const Scope& scope, Heap& heap, Faults& faults);
/// true, false, unknown, or an error.
Datum test_cell(const Cell& cell, const Datum& input, Frame& frame);
/// How far a number is from the nearest end that it fails; empty where the cell is no range or the value no number.
std::optional<double> distance(const Cell& cell, const Datum& input, Frame& frame);
void each_slot(const Cell& cell, const std::function<void(int)>& visit);

}  // namespace steelyard::rules
