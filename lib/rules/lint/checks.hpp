// The checks of lint, one function a question.
#pragma once

#include <steelyard/rules.hpp>
#include <string>
#include <vector>

#include "rules/lint/search.hpp"
#include "rules/lint/table.hpp"

namespace steelyard::rules::analysis {

/// Takes findings; their severity follows from their code.
struct Findings {
  std::vector<RuleFinding> list;
  std::vector<std::string> given_up;

  RuleFinding& add(std::string code, const SourceLocation& where, std::string message, std::string fix);
};

/// Which rules can never apply: filled by check_conditions and check_shadows, used to find what only they read.
struct Reach {
  std::vector<std::vector<bool>> dead;  // decision, rule
};

// Of one table.
void check_conditions(const Table& table, Findings& findings, std::vector<bool>& dead);
void check_equal_rules(const Table& table, Findings& findings, std::vector<bool>& dead);
void check_shadows(const Table& table, Findings& findings, std::vector<bool>& dead);
void check_default(const Table& table, Findings& findings);
void check_gaps(const Table& table, Findings& findings);
void check_overlaps(const Table& table, Findings& findings);
void check_ends(const Table& table, Findings& findings);
void check_units(const BookData& book, const DecisionData& decision, Findings& findings);
// Of a whole book.
void check_use(const BookData& book, const Reach& reach, Findings& findings);

// Shared by them.

/// The rules of two numbers have equal conditions.
bool equal_rows(const TableRule& one, const TableRule& other);
/// At this column the two boxes share nothing but one number, one from below and one from above.
bool touch(const Column& column, const Bits& one, const Bits& other);
/// One row in words, leaving out columns that no rule narrows; and as values.
std::string row_text(const Table& table, const std::vector<int>& row);
Value row_value(const Table& table, const std::vector<int>& row);
/// A row of a box: known values where there are any.
std::vector<int> row_of(const Table& table, const Box& box);
std::string named(const RuleData& rule);  // "a (file:line:column)"
/// Does the table give one output, and none where no rule applies.
bool needs_all(const DecisionData& decision);

}  // namespace steelyard::rules::analysis
