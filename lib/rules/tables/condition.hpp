// The `when` of a rule as the scalar evaluator walks it: the terms that && joins, the plain ones read without a tree.
#pragma once

#include <vector>

#include "rules/language/evaluator.hpp"

namespace steelyard::rules {

struct QuickTerm {
  /// known: has(slot); flag: the slot itself; order: slot against a number; general: anything else.
  enum class Form : unsigned char { known, flag, order, general };
  Form form = Form::general;
  bool negated = false;  // known and flag behind `!`
  Op op = Op::less;      // order
  int slot = -1;
  double number = 0;
  const Expr* expr = nullptr;  // the whole term
};

/// Points into the condition, which must stay where it is.
std::vector<QuickTerm> quick_terms(const Expr& condition);
/// The same as `evaluate(condition, frame)`: true, false, unknown, an error, or a value that is no truth.
Datum test_terms(const std::vector<QuickTerm>& terms, const Expr& condition, Frame& frame);

}  // namespace steelyard::rules
