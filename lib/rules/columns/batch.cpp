// Runs column programs block by block; many rows on all cores.
#include "rules/batch.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

#include "core/parallel.hpp"
#include "rules/columns/plan.hpp"
#include "rules/columns/prefetch.hpp"
#include "rules/columns/row_frame.hpp"

namespace steelyard::rules {

Status BatchColumn::status(std::size_t row) const {
  const auto found =
      std::lower_bound(exceptions.begin(), exceptions.end(), row, [](const Exception& one, std::size_t wanted) { return one.row < wanted; });
  if (found != exceptions.end() && found->row == row) return found->status;
  return !codes.empty() && codes[row] == rules && !has_default ? Status::no_hit : Status::decided;
}

int BatchColumn::rule(std::size_t row) const { return !codes.empty() && codes[row] < rules ? codes[row] : -1; }

struct Batch::Plan {
  Plan(const Rows& the_rows, InstructionSet set) : rows(the_rows), loops(kernels(set)) {}

  const Rows& rows;
  const Kernels& loops;
  Program program;
};

namespace {

const std::vector<Bits>& zeros() {
  static const std::vector<Bits> bits(block_words, 0);
  return bits;
}

const std::vector<Bits>& ones() {
  static const std::vector<Bits> bits(block_words, ~Bits{0});
  return bits;
}

}  // namespace

const Bits* Block::mask(int number) const {
  if (number == no_rows) return zeros().data();
  return number == all_rows ? ones().data() : masks[static_cast<std::size_t>(number)];
}

namespace {

using Exceptions = std::vector<BatchColumn::Exception>;

/// Decides some of the rows: those of a column are written in place, what is exceptional about them is kept apart.
class Runner {
 public:
  Runner(const Rows& rows, const Program& program, const Kernels& loops, std::vector<BatchColumn>& columns)
      : rows_(rows), program_(program), loops_(loops), columns_(columns), exceptions_(columns.size()) {
    block_.numbers.resize(program.numbers.size());
    block_.narrows.resize(program.narrows.size());
    block_.codes.resize(program.codes.size());
    block_.masks.resize(program.masks.size());
    block_.results.resize(program.decisions.size());
    allot();
    const bool scalar = std::any_of(program.steps.begin(), program.steps.end(),
                                    [](const Step& step) { return step.op == Step::Op::repair || step.op == Step::Op::by_rows; });
    if (scalar) frame_.emplace(rows_, program_, block_);
    for (std::size_t place = 0; place < program.decisions.size(); ++place) {
      if (program.decisions[place].lane.form == Lane::Form::mixed) block_.results[place].mixed.resize(block_rows);
    }
  }

  /// By column, of the rows from `begin` (the start of a block) to `end`.
  std::vector<Exceptions> run(std::size_t begin, std::size_t end) {
    end_ = end;
    for (std::size_t first = begin; first < end; first += block_rows) {
      block_.first = first;
      block_.rows = std::min(block_rows, end - first);
      words_ = (block_.rows + 63) / 64;
      move_to_block();
      plan_prefetch();
      std::size_t number = 0;
      for (const Step& step : program_.steps) {
        prefetcher_.step(++number, program_.steps.size());
        execute(step);
      }
      keep_results();
    }
    return std::move(exceptions_);
  }

 private:
  // Scratch registers stay where they are; columns move with the block.
  void allot() {
    const auto count = [](const auto& sources) {
      return static_cast<std::size_t>(std::count_if(sources.begin(), sources.end(), [](const auto& source) { return source.slot < 0; }));
    };
    numbers_.resize(count(program_.numbers) * block_rows);
    codes_.resize(count(program_.codes) * block_rows);
    masks_.resize(count(program_.masks) * block_words);
    const auto place = [](const auto& sources, auto& pointers, auto& memory, std::size_t size) {
      std::size_t used = 0;
      for (std::size_t at = 0; at < sources.size(); ++at) {
        if (sources[at].slot < 0) pointers[at] = memory.data() + size * used++;
      }
    };
    place(program_.numbers, block_.numbers, numbers_, block_rows);
    place(program_.codes, block_.codes, codes_, block_rows);
    place(program_.masks, block_.masks, masks_, block_words);
  }

  // The program never writes to the columns of facts; registers and columns share one table of pointers.
  void move_to_block() {
    const std::size_t first = block_.first;
    for (std::size_t at = 0; at < program_.numbers.size(); ++at) {
      if (const int slot = program_.numbers[at].slot; slot >= 0) block_.numbers[at] = const_cast<double*>(rows_.column(slot).wide.data()) + first;
    }
    for (std::size_t at = 0; at < program_.narrows.size(); ++at) block_.narrows[at] = rows_.column(program_.narrows[at].slot).narrow.data() + first;
    for (std::size_t at = 0; at < program_.codes.size(); ++at) {
      if (const int slot = program_.codes[at].slot; slot >= 0) block_.codes[at] = const_cast<Code*>(rows_.column(slot).codes.data()) + first;
    }
    for (std::size_t at = 0; at < program_.masks.size(); ++at) {
      const auto& source = program_.masks[at];
      if (source.slot < 0) continue;
      const FactColumn& column = rows_.column(source.slot);
      block_.masks[at] = const_cast<Bits*>((source.null ? column.null : column.odd).data()) + first / 64;
    }
    if (!frame_) return;
    frame_->forget_all();
    for (BlockResults& results : block_.results) results.repaired.clear();
  }

  // What the next block reads and writes.
  void plan_prefetch() {
    prefetcher_.clear();
    const std::size_t next = block_.first + block_rows;
    if (next >= end_) return;
    const std::size_t rows = std::min(block_rows, end_ - next);
    for (const auto& source : program_.numbers) {
      if (source.slot >= 0) prefetcher_.add(rows_.column(source.slot).wide.data() + next, rows * sizeof(double));
    }
    for (const auto& source : program_.narrows) prefetcher_.add(rows_.column(source.slot).narrow.data() + next, rows * sizeof(float));
    for (const auto& source : program_.codes) {
      if (source.slot >= 0) prefetcher_.add(rows_.column(source.slot).codes.data() + next, rows * sizeof(Code));
    }
    for (const BatchColumn& column : columns_) {
      if (!column.codes.empty()) prefetcher_.add(column.codes.data() + next, rows * sizeof(Code));
      if (!column.numbers.empty()) prefetcher_.add(column.numbers.data() + next, rows * sizeof(double));
    }
  }

  double* number(int at) { return at < 0 ? nullptr : block_.numbers[static_cast<std::size_t>(at)]; }
  Code* codes(int at) { return block_.codes[static_cast<std::size_t>(at)]; }
  Bits* mask_out(int at) { return block_.masks[static_cast<std::size_t>(at)]; }

  void execute(const Step& step) {
    switch (step.op) {
      case Step::Op::range: return loops_.range(number(step.a), step.x, step.y, mask_out(step.out), words_);
      case Step::Op::range_narrow:
        return loops_.range_narrow(block_.narrows[static_cast<std::size_t>(step.a)], static_cast<float>(step.x), static_cast<float>(step.y),
                                   mask_out(step.out), words_);
      case Step::Op::code_equal: return loops_.code_equal(codes(step.a), step.code, mask_out(step.out), words_);
      case Step::Op::code_among: return code_among(step);
      case Step::Op::order: return loops_.order(step.order, number(step.a), number(step.b), mask_out(step.out), words_);
      case Step::Op::arithmetic: return loops_.arithmetic(step.arithmetic, number(step.a), step.x, number(step.b), step.y, number(step.out), words_);
      case Step::Op::widen: return loops_.widen(block_.narrows[static_cast<std::size_t>(step.a)], number(step.out), words_);
      case Step::Op::look_up: return look_up(step);
      case Step::Op::without_zero: return without_zero(step);
      case Step::Op::both:
      case Step::Op::either:
      case Step::Op::except: return combine_masks(step);
      case Step::Op::blend: return blend(step);
      case Step::Op::number_rows: return number_rows(step);
      case Step::Op::repair: return repair(step);
      case Step::Op::by_rows: return by_rows(step);
    }
  }

  void combine_masks(const Step& step) {
    const Bits *a = block_.mask(step.a), *b = block_.mask(step.b);
    Bits* out = mask_out(step.out);
    for (std::size_t word = 0; word < words_; ++word) {
      out[word] = step.op == Step::Op::both ? a[word] & b[word] : step.op == Step::Op::either ? a[word] | b[word] : a[word] & ~b[word];
    }
  }

  void code_among(const Step& step) {
    const Code* code = codes(step.a);
    Bits* out = mask_out(step.out);
    for (std::size_t word = 0; word < words_; ++word, code += 64) {
      Bits bits = 0;
      for (int at = 0; at < 64; ++at) bits |= static_cast<Bits>(step.among[code[at]]) << at;
      out[word] = bits;
    }
  }

  void look_up(const Step& step) {
    constexpr std::size_t least_entries = 16;
    if (step.table.size() >= least_entries) return loops_.look_up(codes(step.a), step.table.data(), step.table.size(), number(step.out), words_);
    double table[least_entries] = {};
    std::copy(step.table.begin(), step.table.end(), table);
    loops_.look_up(codes(step.a), table, step.table.size(), number(step.out), words_);
  }

  void without_zero(const Step& step) {
    Bits* odd = mask_out(step.odd);
    loops_.range(number(step.a), 0.0, 0.0, odd, words_);
    const Bits* before = block_.mask(step.b);
    double* out = number(step.out);
    for (std::size_t word = 0; word < words_; ++word) {
      for (Bits rest = odd[word]; rest != 0; rest &= rest - 1)
        out[word * 64 + static_cast<std::size_t>(std::countr_zero(rest))] = std::numeric_limits<double>::quiet_NaN();
      odd[word] |= before[word];
    }
  }

  void blend(const Step& step) {
    double* out = number(step.out);
    std::fill(out, out + words_ * 64, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t part = 0; part < step.masks.size(); ++part) {
      const Bits* mask = block_.mask(step.masks[part]);
      const double* source = number(step.sources[part]);
      for (std::size_t word = 0; word < words_; ++word) {
        for (Bits rest = mask[word]; rest != 0; rest &= rest - 1) {
          const std::size_t row = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
          out[row] = source ? source[row] : step.table[part];
        }
      }
    }
  }

  void number_rows(const Step& step) {
    pointers_.clear();
    for (const int mask : step.masks) pointers_.push_back(block_.mask(mask));
    loops_.number_rows(pointers_.data(), pointers_.size(), step.code, codes(step.out), words_);
  }

  Exceptions* exceptions_of(int place) {
    const int wanted = program_.decisions[static_cast<std::size_t>(place)].wanted;
    return wanted < 0 ? nullptr : &exceptions_[static_cast<std::size_t>(wanted)];
  }

  void repair(const Step& step) {
    const Bits* pending = block_.mask(program_.decisions[static_cast<std::size_t>(step.decision)].pending);
    for (std::size_t word = 0; word < words_; ++word) {
      for (Bits rest = pending[word]; rest != 0; rest &= rest - 1) {
        const std::size_t row = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        if (row < block_.rows) frame_->decide(step.decision, row, exceptions_of(step.decision));
      }
    }
  }

  void by_rows(const Step& step) {
    for (std::size_t row = 0; row < block_.rows; ++row) frame_->decide(step.decision, row, exceptions_of(step.decision));
  }

  void keep_results() {
    for (std::size_t at = 0; at < columns_.size(); ++at) {
      const DecisionPlan& plan = program_.decisions[static_cast<std::size_t>(program_.wanted[at])];
      BatchColumn& column = columns_[at];
      if (plan.rule_codes >= 0) std::copy_n(codes(plan.rule_codes), block_.rows, column.codes.begin() + static_cast<std::ptrdiff_t>(block_.first));
      if (plan.lane.form == Lane::Form::number)
        std::copy_n(number(plan.lane.number), block_.rows, column.numbers.begin() + static_cast<std::ptrdiff_t>(block_.first));
    }
  }

  const Rows& rows_;
  const Program& program_;
  const Kernels& loops_;
  std::vector<BatchColumn>& columns_;
  std::vector<Exceptions> exceptions_;  // by column
  Block block_;
  std::size_t end_ = 0;
  std::size_t words_ = block_words;
  std::vector<double> numbers_;
  std::vector<Code> codes_;
  std::vector<Bits> masks_;
  std::vector<const Bits*> pointers_;
  Prefetcher prefetcher_;
  std::optional<RowFrame> frame_;
};

void prepare_columns(const Rows& rows, const Program& program, std::vector<BatchColumn>& columns) {
  columns.resize(program.wanted.size());
  const BookData& book = rows.book().data();
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const DecisionPlan& plan = program.decisions[static_cast<std::size_t>(program.wanted[at])];
    const DecisionData& decision = book.decisions[static_cast<std::size_t>(plan.decision)];
    BatchColumn& column = columns[at];
    column.rules = decision.policy == HitPolicy::expression ? 0 : decision.rules.size();
    column.has_default = decision.otherwise.has_value() || gives_list(decision.policy) || decision.policy == HitPolicy::collect_sum ||
                         decision.policy == HitPolicy::collect_count;
    column.codes.resize(plan.rule_codes >= 0 ? rows.count() : 0);
    column.numbers.resize(plan.lane.form == Lane::Form::number ? rows.count() : 0);
    column.exceptions.clear();
    column.outputs.clear();
    if (plan.lane.form == Lane::Form::constant) column.outputs.push_back(to_value(plan.lane.constant));
    if (plan.lane.form == Lane::Form::code && plan.lane.codes == plan.rule_codes) {
      for (const Datum& value : plan.lane.values) column.outputs.push_back(to_value(value));
    }
  }
}

}  // namespace

Batch::Batch(const Rows& rows, const std::vector<DecisionId>& wanted, InstructionSet set) : plan_(std::make_unique<Plan>(rows, set)) {
  make_program(rows, wanted, plan_->program);
}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

void Batch::run(std::vector<BatchColumn>& columns) const {
  constexpr std::size_t part_rows = 64 * block_rows;
  const Rows& rows = plan_->rows;
  prepare_columns(rows, plan_->program, columns);
  std::vector<std::vector<Exceptions>> found((rows.count() + part_rows - 1) / part_rows);
  for_each_index(found.size(), 1, [&](std::size_t part) {
    const std::size_t begin = part * part_rows;
    found[part] = Runner(rows, plan_->program, plan_->loops, columns).run(begin, std::min(begin + part_rows, rows.count()));
  });
  for (const std::vector<Exceptions>& part : found) {
    for (std::size_t at = 0; at < columns.size(); ++at) columns[at].exceptions.insert(columns[at].exceptions.end(), part[at].begin(), part[at].end());
  }
}

std::size_t Batch::compiled_decisions() const {
  const auto& decisions = plan_->program.decisions;
  return static_cast<std::size_t>(std::count_if(decisions.begin(), decisions.end(), [](const DecisionPlan& plan) { return plan.compiled; }));
}

}  // namespace steelyard::rules
