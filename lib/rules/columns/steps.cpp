// Registers and steps of a program.
#include "rules/columns/planner.hpp"

namespace steelyard::rules {

namespace {

// What makes two steps the same; empty for steps that carry lists.
std::optional<std::tuple<int, int, int, double, double, int>> key_of(const Step& step) {
  switch (step.op) {
    case Step::Op::range:
    case Step::Op::range_narrow:
    case Step::Op::code_equal:
    case Step::Op::order:
    case Step::Op::arithmetic:
    case Step::Op::widen:
    case Step::Op::both:
    case Step::Op::either:
    case Step::Op::except: {
      const int detail = static_cast<int>(step.code) * 64 + static_cast<int>(step.arithmetic) * 8 + static_cast<int>(step.order);
      return std::tuple(static_cast<int>(step.op), step.a, step.b, step.x, step.y, detail);
    }
    default: return std::nullopt;
  }
}

}  // namespace

int Planner::emit_mask(Step step) {
  const auto key = key_of(step);
  if (key) {
    if (const auto found = known_steps_.find(*key); found != known_steps_.end()) return found->second;
  }
  step.out = new_mask();
  if (key) known_steps_.emplace(*key, step.out);
  program_.steps.push_back(step);
  return step.out;
}

int Planner::emit_number(Step step) {
  const auto key = key_of(step);
  if (key) {
    if (const auto found = known_steps_.find(*key); found != known_steps_.end()) return found->second;
  }
  step.out = new_number();
  if (key) known_steps_.emplace(*key, step.out);
  program_.steps.push_back(step);
  return step.out;
}

namespace {

Step mask_step(Step::Op op, int a, int b) {
  Step step;
  step.op = op;
  step.a = a;
  step.b = b;
  return step;
}

}  // namespace

int Planner::both(int a, int b) {
  if (a == no_rows || b == no_rows) return no_rows;
  if (a == all_rows || a == b) return b;
  if (b == all_rows) return a;
  return emit_mask(mask_step(Step::Op::both, std::min(a, b), std::max(a, b)));
}

int Planner::either(int a, int b) {
  if (a == all_rows || b == all_rows) return all_rows;
  if (a == no_rows || a == b) return b;
  if (b == no_rows) return a;
  return emit_mask(mask_step(Step::Op::either, std::min(a, b), std::max(a, b)));
}

int Planner::except(int a, int b) {
  if (a == no_rows || b == all_rows || a == b) return no_rows;
  if (b == no_rows) return a;
  return emit_mask(mask_step(Step::Op::except, a, b));
}

// A mask that the repair of single rows may change.
int Planner::own_copy(int mask) {
  Step step = mask_step(Step::Op::either, mask, mask);
  step.out = new_mask();
  program_.steps.push_back(step);
  return step.out;
}

}  // namespace steelyard::rules
