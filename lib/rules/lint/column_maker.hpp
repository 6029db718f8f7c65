// Finds the column that an expression stands for.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "rules/lint/regions.hpp"

namespace steelyard::rules::analysis {

class ColumnMaker {
 public:
  ColumnMaker(const BookData& book, const DecisionData& decision, std::vector<Column>& columns)
      : book_(book), decision_(decision), columns_(columns) {}

  /// The column of a value.
  int of(const Expr& expr);
  /// The column of the difference of two values, and whether they stand in it the other way round.
  int difference(const Expr& left, const Expr& right, bool& swapped);
  /// The column of a condition that is not looked into.
  int opaque(const Expr& expr);
  /// Once all are made: which may be chosen freely.
  void finish();

 private:
  int place(Column column);
  void describe_fact(Column& column) const;
  void describe_decision(Column& column) const;
  std::vector<int> reads(const Expr& expr) const;
  bool attainable(const Expr& expr) const;
  std::string display(const Expr& expr) const;

  const BookData& book_;
  const DecisionData& decision_;
  std::vector<Column>& columns_;
  std::unordered_map<std::string, int> numbers_;  // by key
};

}  // namespace steelyard::rules::analysis
