// Decisions over many rows at once: the second door of the rule engine, for catalogs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/large_pages.hpp"
#include "rules/columns/kernels.hpp"
#include "rules/rules.hpp"

namespace steelyard::rules {

struct FactColumn;

/// The facts of many rows, a column each. Facts that are not set are unknown in every row (or their `on_unknown`).
class Rows {
 public:
  Rows(Book book, std::size_t count);
  Rows(Rows&&) noexcept;
  Rows& operator=(Rows&&) noexcept;
  ~Rows();

  /// One value for all rows, folded into the program: the facts of the job.
  void constant(FactId fact, const Value& value);
  /// One number a row; NaN is unknown.
  void numbers(FactId fact, std::span<const double> values);
  /// 0: false, else true.
  void flags(FactId fact, std::span<const std::uint8_t> values);
  void texts(FactId fact, std::span<const std::string> values);
  /// Any values; empty is unknown, null is known not to apply.
  void values(FactId fact, const std::vector<std::optional<Value>>& values);

  std::size_t count() const;
  const Book& book() const;
  /// The facts of one row for the scalar evaluator, which rebuilds its full trace.
  Session session(std::size_t row) const;

  const FactColumn& column(int slot) const;  // internal

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// What one decision came to in every row. Two bytes a row are kept of a table, eight of a number.
struct BatchColumn {
  /// Rows that are not simply decided: unknown facts, errors.
  struct Exception {
    std::size_t row = 0;
    Status status = Status::failed;
  };

  std::size_t rules = 0;  // codes below are numbers of rules
  bool has_default = false;
  Column<Code> codes;                 // tables: rule that applied (from 0); `rules`: none did; empty for expressions
  Column<double> numbers;             // expressions and tables that compute numbers; NaN where there is none
  std::vector<Value> outputs;         // tables of constants: output by code
  std::vector<Exception> exceptions;  // rising rows

  Status status(std::size_t row) const;
  /// Number of the rule that applied, -1 where none did or the row is an exception.
  int rule(std::size_t row) const;
};

/// A book compiled for the layout of some rows: which facts are constant, which texts occur. Immutable; the rows must outlive it.
class Batch {
 public:
  /// `wanted`: the decisions whose columns are kept.
  Batch(const Rows& rows, const std::vector<DecisionId>& wanted, InstructionSet set = best_instruction_set());
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;
  ~Batch();

  /// One column for each wanted decision, in their order; the vectors are reused. Many rows are decided on all cores.
  void run(std::vector<BatchColumn>& columns) const;
  /// How many of the decisions run as column programs; the others go row by row.
  std::size_t compiled_decisions() const;

 private:
  struct Plan;
  std::unique_ptr<Plan> plan_;
};

}  // namespace steelyard::rules
