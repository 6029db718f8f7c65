// Conditions of rules -> formulas over columns.
#pragma once

#include "rules/lint/column_maker.hpp"
#include "rules/lint/formula.hpp"

namespace steelyard::rules::analysis {

class ConditionReader {
 public:
  ConditionReader(const BookData& book, std::vector<Column>& columns, ColumnMaker& maker) : book_(book), columns_(columns), maker_(maker) {}

  /// When is an expression true.
  Formula truth(const Expr& expr);
  /// When does a cell hold for the value of its input.
  Formula cell(const Cell& cell, const Expr& input);

 private:
  Formula compare(const Expr& expr);
  Formula with_literal(Op op, const Expr& subject, const Datum& value, const Expr& whole);
  Formula with_value(Op op, const Expr& left, const Expr& right);
  Formula list(const Expr& expr);
  Formula opaque(const Expr& expr);
  Formula noted(Atom atom);
  Formula test(const Test& test, const Expr& input);
  bool add_constants(const Test& test, const Expr& input, Atom& atom);
  Formula constants(Atom atom, const Expr& input);

  const BookData& book_;
  std::vector<Column>& columns_;
  ColumnMaker& maker_;
};

}  // namespace steelyard::rules::analysis
