// A decision as lint sees it: its columns, and the condition of every rule over them.
#pragma once

#include <string>
#include <vector>

#include "rules/lint/formula.hpp"

namespace steelyard::rules::analysis {

struct TableRule {
  Formula condition;
  bool always = false;     // `when: true`, or nothing but `-`
  bool opaque = false;     // holds a condition that is not analysed
  bool too_large = false;  // needs more boxes than are looked at
  Boxes certain, possible, proven;
};

struct Table {
  const BookData* book = nullptr;
  const DecisionData* decision = nullptr;
  std::vector<Column> columns;
  std::vector<TableRule> rules;  // in the order of the decision's

  const RuleData& rule(int number) const { return decision->rules[static_cast<std::size_t>(number)]; }
  int rule_count() const { return static_cast<int>(rules.size()); }
};

/// Columns and conditions.
Table make_table(const BookData& book, const DecisionData& decision);
/// ... and the rows of each rule.
void read_rows(Table& table);

/// Do two rules give the same output; empty where that cannot be said before facts are known.
std::optional<bool> same_output(const OutputData& one, const OutputData& other);

}  // namespace steelyard::rules::analysis
