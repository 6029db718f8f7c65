// The scalar evaluator over one row of a block: for rows that the column program leaves open.
#pragma once

#include <vector>

#include "rules/columns/plan.hpp"
#include "rules/tables/apply.hpp"

namespace steelyard::rules {

/// What a block keeps of one decision beside its registers.
struct BlockResults {
  std::vector<std::pair<std::size_t, Datum>> repaired;  // rising rows of the block
  std::vector<Datum> mixed;                             // lanes without a column form: all rows
};

/// Pointers of the block that is being run.
struct Block {
  std::size_t first = 0;  // row
  std::size_t rows = 0;
  std::vector<double*> numbers;
  std::vector<const float*> narrows;
  std::vector<Code*> codes;
  std::vector<Bits*> masks;
  std::vector<BlockResults> results;  // by place in the program's decisions

  const Bits* mask(int number) const;
};

class RowFrame : public Frame {
 public:
  RowFrame(const Rows& rows, const Program& program, Block& block)
      : Frame(static_cast<std::size_t>(rows.book().data().slot_count()), ExprMode::book),
        rows_(rows),
        book_(rows.book().data()),
        program_(program),
        block_(block) {}

  /// Decides one row of the block and writes the result where the program expects it; where it is not simply decided, adds it to the exceptions.
  void decide(int place, std::size_t row, std::vector<BatchColumn::Exception>* exceptions);

 protected:
  Datum compute(int slot) override;

 private:
  Datum decision_value(int place) const;
  void write(const DecisionPlan& plan, int place, std::size_t row);
  void write_codes(const DecisionPlan& plan, std::size_t row);

  const Rows& rows_;
  const BookData& book_;
  const Program& program_;
  Block& block_;
  std::size_t row_ = 0;
  Result result_;
};

}  // namespace steelyard::rules
