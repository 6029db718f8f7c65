#include "rules/lint/table.hpp"

#include "rules/lint/condition_reader.hpp"
#include "rules/lint/expression_text.hpp"

namespace steelyard::rules::analysis {

namespace {

bool has_opaque(const Formula& formula, const std::vector<Column>& columns) {
  if (formula.kind == Formula::Kind::atom) return !columns[static_cast<std::size_t>(formula.atom.column)].free;
  for (const Formula& part : formula.parts) {
    if (has_opaque(part, columns)) return true;
  }
  return false;
}

bool has_atom(const Formula& formula) {
  if (formula.kind == Formula::Kind::atom) return true;
  for (const Formula& part : formula.parts) {
    if (has_atom(part)) return true;
  }
  return false;
}

Formula condition_of(const RuleData& rule, const DecisionData& decision, ConditionReader& reader) {
  if (rule.condition) return reader.truth(rule.condition->expr);
  std::vector<Formula> cells;
  for (std::size_t at = 0; at < rule.cells.size(); ++at) {
    const Cell& cell = rule.cells[at];
    if (!cell.any && !cell.tests.empty()) cells.push_back(reader.cell(cell, decision.inputs[at].expression.expr));
  }
  return cells.empty() ? Formula::constant(true) : Formula::join(Formula::Kind::all, std::move(cells));
}

}  // namespace

Table make_table(const BookData& book, const DecisionData& decision) {
  Table table;
  table.book = &book;
  table.decision = &decision;
  ColumnMaker maker(book, decision, table.columns);
  ConditionReader reader(book, table.columns, maker);
  for (const RuleData& rule : decision.rules) table.rules.emplace_back().condition = condition_of(rule, decision, reader);
  maker.finish();
  for (TableRule& rule : table.rules) {
    rule.always = !has_atom(rule.condition) && rule.condition.value;
    rule.opaque = has_opaque(rule.condition, table.columns);
  }
  return table;
}

void read_rows(Table& table) {
  for (TableRule& rule : table.rules) {
    auto certain = boxes_of(rule.condition, table.columns, Reading::certain);
    auto possible = boxes_of(rule.condition, table.columns, Reading::possible);
    auto proven = rule.opaque ? boxes_of(rule.condition, table.columns, Reading::proven) : certain;
    rule.too_large = !certain || !possible || !proven;
    if (rule.too_large) {
      rule.possible = {whole(table.columns)};  // it may apply anywhere
      continue;
    }
    rule.certain = std::move(*certain);
    rule.possible = std::move(*possible);
    rule.proven = std::move(*proven);
  }
}

std::optional<bool> same_output(const OutputData& one, const OutputData& other) {
  const Expr &left = one.whole, &right = other.whole;
  if (left.op == Op::literal && right.op == Op::literal) return equal(left.value, right.value);
  if (readable(left) == readable(right)) return true;
  return std::nullopt;
}

}  // namespace steelyard::rules::analysis
