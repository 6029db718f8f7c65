// Expressions -> steps.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rules/columns/planner.hpp"

namespace steelyard::rules {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_codes_to_map = 4096;

// Evaluates with constants, and one slot that takes different values.
class ConstantFrame : public Frame {
 public:
  ConstantFrame(std::size_t slots, const std::map<int, Datum>& constants) : Frame(slots, ExprMode::book), constants_(constants) {}

 protected:
  Datum compute(int slot) override { return constants_.at(slot); }

 private:
  const std::map<int, Datum>& constants_;
};

Lane constant_lane(const Datum& value) {
  Lane lane;
  lane.form = Lane::Form::constant;
  lane.constant = value;
  return lane;
}

// Others become odd rows, which the scalar evaluator judges.
bool may_be_number(const Expr& expr) { return expr.type == Type::number || expr.type == Type::any; }

// The least float that is not below.
double float_at_least(double value) {
  constexpr float most = std::numeric_limits<float>::max();
  if (value > static_cast<double>(most)) return infinite;
  if (value < -static_cast<double>(most)) return value == -infinite ? -infinite : -static_cast<double>(most);
  const auto near = static_cast<float>(value);
  return static_cast<double>(near) < value ? static_cast<double>(std::nextafter(near, std::numeric_limits<float>::infinity()))
                                           : static_cast<double>(near);
}

Op mirrored(Op op) {
  switch (op) {
    case Op::less: return Op::greater;
    case Op::less_equal: return Op::greater_equal;
    case Op::greater: return Op::less;
    case Op::greater_equal: return Op::less_equal;
    default: return op;
  }
}

Lane flag_lane(int yes, int maybe) {
  Lane lane;
  lane.form = Lane::Form::flag;
  lane.yes = yes;
  lane.maybe = maybe;
  return lane;
}

}  // namespace

Lane Planner::fact_lane(int slot) {
  const FactColumn& column = rows_.column(slot);
  const auto mask = [&](bool null) {
    program_.masks.push_back({slot, null});
    return static_cast<int>(program_.masks.size()) - 1;
  };
  Lane lane;
  switch (column.form) {
    case FactColumn::Form::constant: return constant_lane(column.constant);
    case FactColumn::Form::mixed: return lane;
    case FactColumn::Form::code:
      lane.form = Lane::Form::code;
      lane.values = column.values;
      program_.codes.push_back({slot});
      lane.codes = static_cast<int>(program_.codes.size()) - 1;
      return lane;
    case FactColumn::Form::number: break;
  }
  lane.form = Lane::Form::number;
  if (column.narrow.empty()) {
    program_.numbers.push_back({slot});
    lane.number = static_cast<int>(program_.numbers.size()) - 1;
  } else {
    program_.narrows.push_back({slot});
    lane.narrow = static_cast<int>(program_.narrows.size()) - 1;
  }
  if (!column.odd.empty()) lane.odd = mask(false);
  if (!column.null.empty()) lane.null = mask(true);
  return lane;
}

Lane Planner::lane_of(int slot) {
  if (book_.is_decision(slot)) {
    const int place = program_.plan_of[static_cast<std::size_t>(slot - book_.first_decision())];
    return place < 0 ? Lane{} : program_.decisions[static_cast<std::size_t>(place)].lane;
  }
  if (const auto found = lanes_.find(slot); found != lanes_.end()) return found->second;
  Lane lane;
  if (slot < book_.first_decision()) {
    lane = fact_lane(slot);
  } else {
    const auto [decision, input] = book_.computed_inputs[static_cast<std::size_t>(slot - book_.first_input())];
    lane = lower(book_.decisions[static_cast<std::size_t>(decision)].inputs[static_cast<std::size_t>(input)].expression.expr);
  }
  lanes_[slot] = lane;
  return lane;
}

Lane Planner::map_codes(const Lane& input, const std::function<Datum(const Datum&)>& work) {
  Lane lane;
  lane.form = Lane::Form::code;
  lane.codes = input.codes;
  for (const Datum& value : input.values) lane.values.push_back(copy(work(value), program_.heap));
  return lane;
}

// An expression over constants and at most one coded value is computed once for each code.
std::optional<Lane> Planner::by_codes(const Expr& expr) {
  std::set<int> slots;
  each_slot(expr, [&](int slot) { slots.insert(slot); });
  std::map<int, Datum> constants;
  int varying = -1;
  Lane input;
  for (const int slot : slots) {
    const Lane lane = lane_of(slot);
    if (lane.form == Lane::Form::constant) {
      constants.emplace(slot, lane.constant);
    } else if (lane.form == Lane::Form::code && varying < 0 && lane.values.size() <= most_codes_to_map) {
      varying = slot;
      input = lane;
    } else {
      return std::nullopt;
    }
  }
  ConstantFrame frame(static_cast<std::size_t>(book_.slot_count()), constants);
  if (varying < 0) return constant_lane(copy(evaluate(expr, frame), program_.heap));
  return map_codes(input, [&](const Datum& value) {
    frame.keep(varying, value);
    return evaluate(expr, frame);
  });
}

Lane Planner::lower(const Expr& expr) {
  if (expr.op == Op::slot) return lane_of(expr.number);
  if (auto lane = by_codes(expr)) return *lane;
  switch (expr.op) {
    case Op::negate: return combine(Arithmetic::multiply, as_number(lower(expr.args[0])), constant_lane(Datum(-1.0)));
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide: return lower_arithmetic(expr);
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal: return lower_order(expr);
    case Op::logical_not:
    case Op::logical_and:
    case Op::logical_or: return lower_logic(expr);
    case Op::conditional: return lower_conditional(expr);
    case Op::call: return lower_extreme(expr);
    default: return {};
  }
}

// Masks of the rows whose code has a property.
int Planner::masks_of(const Lane& codes, const std::function<bool(const Datum&)>& test) {
  std::vector<unsigned char> among;
  for (const Datum& value : codes.values) among.push_back(test(value) ? 1 : 0);
  const auto count = static_cast<std::size_t>(std::count(among.begin(), among.end(), 1));
  if (count == 0) return no_rows;
  if (count == among.size()) return all_rows;
  constexpr std::size_t few = 4;
  if (count > few && among.size() - count > few) {
    Step step;
    step.op = Step::Op::code_among;
    step.a = codes.codes;
    step.among = std::move(among);
    return emit_mask(step);
  }
  const bool listed = count <= few;  // the others, and the inverse of them
  int mask = no_rows;
  for (std::size_t code = 0; code < among.size(); ++code) {
    if ((among[code] == 1) != listed) continue;
    Step step;
    step.op = Step::Op::code_equal;
    step.a = codes.codes;
    step.code = static_cast<Code>(code);
    mask = either(mask, emit_mask(step));
  }
  return listed ? mask : inverse(mask);
}

Lane Planner::as_flag(const Lane& lane) {
  const auto is_true = [](const Datum& value) { return value.kind == Kind::boolean && value.boolean; };
  const auto is_open = [](const Datum& value) { return value.kind != Kind::boolean; };
  switch (lane.form) {
    case Lane::Form::flag: return lane;
    case Lane::Form::constant: return flag_lane(is_true(lane.constant) ? all_rows : no_rows, is_open(lane.constant) ? all_rows : no_rows);
    case Lane::Form::code: return flag_lane(masks_of(lane, is_true), masks_of(lane, is_open));
    default: return {};
  }
}

Lane Planner::as_number(const Lane& lane) {
  if (lane.form == Lane::Form::constant) return lane;
  if (lane.form == Lane::Form::number) {
    if (lane.number >= 0) return lane;
    Step step;
    step.op = Step::Op::widen;
    step.a = lane.narrow;
    Lane wide = lane;
    wide.number = emit_number(step);
    return wide;
  }
  if (lane.form != Lane::Form::code) return {};
  Step step;
  step.op = Step::Op::look_up;
  step.a = lane.codes;
  for (const Datum& value : lane.values) step.table.push_back(value.is_number() ? value.number() : nan);
  Lane number;
  number.form = Lane::Form::number;
  number.number = emit_number(step);
  number.null = masks_of(lane, [](const Datum& value) { return value.kind == Kind::null; });
  number.odd = masks_of(lane, [](const Datum& value) { return !value.is_number() && value.kind != Kind::null; });
  return number;
}

Lane Planner::combine(Arithmetic op, const Lane& left, const Lane& right) {
  if (left.form == Lane::Form::none || right.form == Lane::Form::none) return {};
  for (const Lane* side : {&left, &right}) {
    if (side->form != Lane::Form::constant) continue;
    if (!side->constant.is_number()) return constant_lane(side->constant.known() ? program_.heap.error("no number") : side->constant);
    if (std::isnan(side->constant.number())) return {};
  }
  Step step;
  step.op = Step::Op::arithmetic;
  step.arithmetic = op;
  if (left.form == Lane::Form::constant) step.x = left.constant.number();
  if (right.form == Lane::Form::constant) step.y = right.constant.number();
  step.a = left.form == Lane::Form::constant ? -1 : left.number;
  step.b = right.form == Lane::Form::constant ? -1 : right.number;
  if (step.b < 0 && op == Arithmetic::divide && step.y == 0) return {};
  Lane lane;
  lane.form = Lane::Form::number;
  lane.odd = either(either(left.odd, right.odd), either(left.null, right.null));
  lane.number = emit_number(step);
  if (op != Arithmetic::divide || step.b < 0) return lane;
  Step check;  // rows with a zero divisor become NaN and odd
  check.op = Step::Op::without_zero;
  check.a = right.number;
  check.b = lane.odd;
  check.out = lane.number;
  check.odd = new_mask();
  program_.steps.push_back(check);
  lane.odd = check.odd;
  return lane;
}

Lane Planner::lower_arithmetic(const Expr& expr) {
  if (!may_be_number(expr.args[0]) || !may_be_number(expr.args[1])) return {};
  const Arithmetic op = expr.op == Op::add        ? Arithmetic::add
                        : expr.op == Op::subtract ? Arithmetic::subtract
                        : expr.op == Op::multiply ? Arithmetic::multiply
                                                  : Arithmetic::divide;
  return combine(op, as_number(lower(expr.args[0])), as_number(lower(expr.args[1])));
}

Lane Planner::lower_extreme(const Expr& expr) {
  if (expr.function != Function::least && expr.function != Function::greatest) return {};
  if (expr.args.size() < 2) return {};
  Lane lane;
  for (std::size_t at = 0; at < expr.args.size(); ++at) {
    if (!may_be_number(expr.args[at])) return {};
    const Lane next = as_number(lower(expr.args[at]));
    lane = at == 0 ? next : combine(expr.function == Function::least ? Arithmetic::least : Arithmetic::greatest, lane, next);
    if (lane.form == Lane::Form::none) return {};
  }
  return lane;
}

// least <= x <= most in numbers or floats; open ends have become their neighbours.
int Planner::range_mask(const Lane& number, double least, double most) {
  Step step;
  step.op = number.number >= 0 ? Step::Op::range : Step::Op::range_narrow;
  step.a = number.number >= 0 ? number.number : number.narrow;
  step.x = number.number >= 0 ? least : float_at_least(least);
  step.y = number.number >= 0 ? most : -float_at_least(-most);
  return step.x > step.y ? no_rows : emit_mask(step);
}

// x against a constant, as a range.
int Planner::constant_order(Op op, const Lane& number, double constant) {
  switch (op) {
    case Op::less: return range_mask(number, -infinite, std::nextafter(constant, -infinite));
    case Op::less_equal: return range_mask(number, -infinite, constant);
    case Op::greater: return range_mask(number, std::nextafter(constant, infinite), infinite);
    case Op::greater_equal: return range_mask(number, constant, infinite);
    default: return range_mask(number, constant, constant);
  }
}

Lane Planner::lower_order(const Expr& expr) {
  if (!may_be_number(expr.args[0]) || !may_be_number(expr.args[1])) return {};
  Lane left = lower(expr.args[0]), right = lower(expr.args[1]);
  Op op = expr.op;
  if (left.form == Lane::Form::constant) {  // 5 < x is x > 5
    std::swap(left, right);
    op = mirrored(op);
  }
  if (left.form != Lane::Form::number) left = as_number(left);
  if (left.form != Lane::Form::number || right.form == Lane::Form::none) return {};
  const bool equality = op == Op::equal || op == Op::not_equal;
  int yes = no_rows, maybe = left.odd;
  if (right.form == Lane::Form::constant) {
    const bool usable = right.constant.is_number() || (equality && right.constant.kind == Kind::null);
    if (!usable) return flag_lane(no_rows, all_rows);
    if (right.constant.is_number() && std::isnan(right.constant.number())) return {};
    yes = right.constant.is_number() ? constant_order(op, left, right.constant.number()) : left.null;
    if (!equality) maybe = either(maybe, left.null);
  } else {
    left = as_number(left);
    right = as_number(right);
    if (right.form != Lane::Form::number) return {};
    maybe = either(either(left.odd, right.odd), either(left.null, right.null));  // null == null too is left to the scalar evaluator
    Step step;
    step.op = Step::Op::order;
    const bool swapped = op == Op::greater || op == Op::greater_equal;
    step.a = swapped ? right.number : left.number;
    step.b = swapped ? left.number : right.number;
    step.order = equality ? Order::equal : op == Op::less || op == Op::greater ? Order::less : Order::less_equal;
    yes = emit_mask(step);
  }
  if (op == Op::not_equal) yes = inverse(either(yes, maybe));
  return flag_lane(yes, maybe);
}

Lane Planner::lower_logic(const Expr& expr) {
  const Lane left = as_flag(lower(expr.args[0]));
  if (left.form == Lane::Form::none) return {};
  if (expr.op == Op::logical_not) return flag_lane(inverse(either(left.yes, left.maybe)), left.maybe);
  const Lane right = as_flag(lower(expr.args[1]));
  if (right.form == Lane::Form::none) return {};
  const int maybe = either(left.maybe, right.maybe);
  if (expr.op == Op::logical_or) {
    const int yes = either(left.yes, right.yes);
    return flag_lane(yes, except(maybe, yes));
  }
  const int possible = both(either(left.yes, left.maybe), either(right.yes, right.maybe));
  const int yes = both(left.yes, right.yes);
  return flag_lane(yes, except(possible, yes));
}

Lane Planner::blend(const std::vector<int>& masks, const std::vector<Lane>& sources) {
  Step step;
  step.op = Step::Op::blend;
  Lane lane;
  lane.form = Lane::Form::number;
  for (std::size_t at = 0; at < sources.size(); ++at) {
    if (masks[at] == no_rows) continue;
    const Lane source = as_number(sources[at]);
    if (source.form != Lane::Form::number && source.form != Lane::Form::constant) return {};
    const bool constant = source.form == Lane::Form::constant;
    step.masks.push_back(masks[at]);
    step.sources.push_back(constant ? -1 : source.number);
    step.table.push_back(constant && source.constant.is_number() ? source.constant.number() : nan);
    if (!constant) {
      lane.odd = either(lane.odd, both(masks[at], source.odd));
      lane.null = either(lane.null, both(masks[at], source.null));
    } else if (source.constant.kind == Kind::null) {
      lane.null = either(lane.null, masks[at]);
    } else if (!source.constant.is_number()) {
      lane.odd = either(lane.odd, masks[at]);
    }
  }
  lane.number = emit_number(step);
  return lane;
}

Lane Planner::lower_conditional(const Expr& expr) {
  const Lane condition = as_flag(lower(expr.args[0]));
  const Lane left = lower(expr.args[1]), right = lower(expr.args[2]);
  if (condition.form == Lane::Form::none || left.form == Lane::Form::none || right.form == Lane::Form::none) return {};
  const int no = inverse(either(condition.yes, condition.maybe));
  if (left.form == Lane::Form::constant && right.form == Lane::Form::constant) {
    return choose({condition.yes, no, condition.maybe}, {left.constant, right.constant, program_.heap.error("open")});
  }
  if (!may_be_number(expr)) return {};
  Lane lane = blend({condition.yes, no}, {left, right});
  lane.odd = either(lane.odd, condition.maybe);
  return lane;
}

// A constant for each of some masks that do not meet.
Lane Planner::choose(const std::vector<int>& masks, std::vector<Datum> values) {
  Step step;
  step.op = Step::Op::number_rows;
  step.masks = masks;
  step.code = static_cast<Code>(masks.size());
  step.out = new_codes();
  program_.steps.push_back(step);
  Lane lane;
  lane.form = Lane::Form::code;
  lane.codes = step.out;
  lane.values = std::move(values);
  lane.values.push_back(program_.heap.error("open"));
  return lane;
}

}  // namespace steelyard::rules
