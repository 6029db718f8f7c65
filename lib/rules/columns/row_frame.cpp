#include "rules/columns/row_frame.hpp"

#include <algorithm>
#include <limits>

namespace steelyard::rules {

namespace {

bool bit_of(const Bits* mask, std::size_t row) { return (mask[row / 64] >> (row % 64) & 1) != 0; }

void set_bit(Bits* mask, std::size_t row, bool value) {
  const Bits one = Bits{1} << (row % 64);
  mask[row / 64] = value ? mask[row / 64] | one : mask[row / 64] & ~one;
}

}  // namespace

Datum RowFrame::compute(int slot) {
  if (slot < book_.first_decision()) return rows_.column(slot).at(block_.first + row_, book_.unknowns[static_cast<std::size_t>(slot)]);
  if (book_.is_decision(slot)) return decision_value(program_.plan_of[static_cast<std::size_t>(slot - book_.first_decision())]);
  const auto [decision, input] = book_.computed_inputs[static_cast<std::size_t>(slot - book_.first_input())];
  std::vector<Datum> outer;
  outer.swap(locals());
  const Datum value = evaluate(book_.decisions[static_cast<std::size_t>(decision)].inputs[static_cast<std::size_t>(input)].expression.expr, *this);
  outer.swap(locals());
  return value;
}

Datum RowFrame::decision_value(int place) const {
  const Lane& lane = program_.decisions[static_cast<std::size_t>(place)].lane;
  const BlockResults& results = block_.results[static_cast<std::size_t>(place)];
  if (lane.form == Lane::Form::constant) return lane.constant;
  if (lane.form == Lane::Form::mixed) return results.mixed[row_];
  const auto found =
      std::lower_bound(results.repaired.begin(), results.repaired.end(), row_, [](const auto& entry, std::size_t row) { return entry.first < row; });
  if (found != results.repaired.end() && found->first == row_) return found->second;
  if (lane.form == Lane::Form::code) return lane.values[block_.codes[static_cast<std::size_t>(lane.codes)][row_]];
  if (lane.null != no_rows && bit_of(block_.mask(lane.null), row_)) return Datum();
  return Datum(block_.numbers[static_cast<std::size_t>(lane.number)][row_]);
}

void RowFrame::decide(int place, std::size_t row, std::vector<BatchColumn::Exception>* exceptions) {
  forget_computed();
  row_ = row;
  const DecisionPlan& plan = program_.decisions[static_cast<std::size_t>(place)];
  apply(book_.decisions[static_cast<std::size_t>(plan.decision)], *this, result_);
  write(plan, place, row);
  const bool plain = result_.status == Status::decided || (result_.status == Status::no_hit && plan.rule_codes >= 0);
  if (exceptions && !plain) exceptions->push_back({block_.first + row, result_.status});
}

// A row gets the number of its rule, its value, and, where no column form can hold that, the value itself.
void RowFrame::write(const DecisionPlan& plan, int place, std::size_t row) {
  const Lane& lane = plan.lane;
  BlockResults& results = block_.results[static_cast<std::size_t>(place)];
  if (plan.rule_codes >= 0) write_codes(plan, row);
  if (lane.form == Lane::Form::mixed) {
    results.mixed[row] = result_.output;
    return;
  }
  results.repaired.emplace_back(row, result_.output);
  if (lane.form == Lane::Form::number) {
    const bool number = result_.output.is_number();
    block_.numbers[static_cast<std::size_t>(lane.number)][row] = number ? result_.output.number() : std::numeric_limits<double>::quiet_NaN();
    set_bit(block_.masks[static_cast<std::size_t>(lane.null)], row, result_.output.kind == Kind::null);
    set_bit(block_.masks[static_cast<std::size_t>(lane.odd)], row, !number && result_.output.kind != Kind::null);
  } else if (lane.form == Lane::Form::code && lane.codes != plan.rule_codes) {
    const auto value = std::find_if(lane.values.begin(), lane.values.end() - 1,
                                    [&](const Datum& one) { return result_.output.known() && equal(one, result_.output); });
    block_.codes[static_cast<std::size_t>(lane.codes)][row] = static_cast<Code>(value - lane.values.begin());
  }
}

void RowFrame::write_codes(const DecisionPlan& plan, std::size_t row) {
  const auto rules = static_cast<Code>(book_.decisions[static_cast<std::size_t>(plan.decision)].rules.size());
  Code code = rules + code_none;
  if (result_.status == Status::undetermined) code = rules + code_undetermined;
  if (result_.status == Status::failed) code = rules + code_failed;
  if (result_.status == Status::decided && !result_.yes.empty()) code = static_cast<Code>(result_.yes[0]);
  block_.codes[static_cast<std::size_t>(plan.rule_codes)][row] = code;
}

}  // namespace steelyard::rules
