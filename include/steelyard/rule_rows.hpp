// Decisions of a rule book about many rows of facts at once, a column each: for catalogs and tables.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <steelyard/rule_book.hpp>
#include <string>
#include <vector>

namespace steelyard {

namespace rules {
class Rows;
}

/// What one decision came to in every row.
struct RuleColumn {
  std::string decision;
  std::vector<std::string> rules;    // ids of its rules; their places here are the numbers below
  std::vector<std::int32_t> rule;    // the rule that applied, the first where several did; -1: none, or not decided. Empty: an expression
  std::vector<std::uint8_t> status;  // places in `rule_statuses`
  std::vector<double> numbers;       // NaN where there is none; empty: the decision gives something else (RuleRows::outcome)
};

inline constexpr const char* rule_statuses[] = {"decided", "undetermined", "no_hit", "failed"};

/// Facts of many rows. Those that are not set are unknown in every row. All functions throw LoadError where the book has no such name, the values
/// are not of the fact's kind, or there are not as many as rows.
class RuleRows {
 public:
  RuleRows(const RuleBook& book, std::size_t count);
  RuleRows(RuleRows&&) noexcept;
  RuleRows& operator=(RuleRows&&) noexcept;
  ~RuleRows();

  /// One value for all rows.
  void constant(const std::string& fact, const Value& value);
  /// In the unit of the fact; NaN: unknown.
  void numbers(const std::string& fact, std::span<const double> values);
  /// 0: false, else true.
  void flags(const std::string& fact, std::span<const std::uint8_t> values);
  void texts(const std::string& fact, std::span<const std::string> values);
  /// Values of any kind; empty: unknown, null: known not to apply.
  void values(const std::string& fact, const std::vector<std::optional<Value>>& values);

  std::size_t count() const;
  /// One column for each decision, in their order. Many rows are decided on all cores. Safe to call from several threads.
  std::vector<RuleColumn> decide(const std::vector<std::string>& decisions) const;
  /// The whole outcome of one row, with its reasons; std::out_of_range where there is no such row.
  RuleOutcome outcome(const std::string& decision, std::size_t row) const;

 private:
  std::unique_ptr<rules::Rows> rows_;
};

}  // namespace steelyard
