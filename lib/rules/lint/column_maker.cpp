#include "rules/lint/column_maker.hpp"

#include <algorithm>

#include "rules/lint/expression_text.hpp"

namespace steelyard::rules::analysis {

int ColumnMaker::place(Column column) {
  const auto [found, added] = numbers_.emplace(column.key, static_cast<int>(columns_.size()));
  if (added) columns_.push_back(std::move(column));
  return found->second;
}

std::vector<int> ColumnMaker::reads(const Expr& expr) const {
  std::vector<int> slots;
  const std::function<void(int)> add = [&](int slot) {
    if (slot < book_.first_input()) return slots.push_back(slot);
    Expr input;
    input.op = Op::slot;
    input.number = slot;
    each_slot(meant(input, book_), add);
  };
  each_slot(expr, add);
  return slots;
}

// Sums, products and quotients of different open facts take every value.
bool ColumnMaker::attainable(const Expr& expr) const {
  const Expr& one = meant(expr, book_);
  switch (one.op) {
    case Op::literal: return one.value.kind == Kind::real && one.value.real != 0;
    case Op::negate: return attainable(one.args[0]);
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide: {
      std::vector<int> slots = reads(one);
      std::sort(slots.begin(), slots.end());
      const bool apart = std::adjacent_find(slots.begin(), slots.end()) == slots.end();
      return apart && !slots.empty() && attainable(one.args[0]) && attainable(one.args[1]);
    }
    case Op::slot: break;
    default: return false;
  }
  if (one.type != Type::number) return false;
  Column column;
  column.slot = one.number;
  book_.is_decision(one.number) ? describe_decision(column) : describe_fact(column);
  return !column.closed_numbers && column.least == -infinity && column.most == infinity;
}

void ColumnMaker::describe_fact(Column& column) const {
  const FactData& fact = book_.facts[static_cast<std::size_t>(column.slot)];
  column.type = fact.type;
  column.unit = fact.unit_text;
  column.closed_words = fact.words;
  column.least = fact.least.value_or(-infinity);
  column.most = fact.most.value_or(infinity);
  column.can_be_unknown = !fact.on_unknown;
}

// A decision whose outputs are all fixed gives no other values.
void ColumnMaker::describe_decision(Column& column) const {
  const DecisionData& decision = book_.decision_at(column.slot);
  column.type = decision.type;
  column.unit = decision.unit_text;
  column.closed_words = decision.words;
  const bool one_of = decision.policy <= HitPolicy::first || decision.policy == HitPolicy::expression;
  std::set<double> numbers;
  bool fixed = one_of;
  const auto look = [&](const OutputData& output) {
    fixed = fixed && output.whole.op == Op::literal;
    if (!fixed) return;
    if (output.whole.value.kind == Kind::real) numbers.insert(output.whole.value.real);
    column.null_named = column.null_named || output.whole.value.kind == Kind::null;
  };
  for (const RuleData& rule : decision.rules) look(rule.then);
  if (decision.otherwise) look(*decision.otherwise);
  if (fixed && decision.type == Type::number) column.closed_numbers = std::vector<double>(numbers.begin(), numbers.end());
}

std::string ColumnMaker::display(const Expr& expr) const {
  for (const InputData& input : decision_.inputs) {
    if (&input.expression.expr == &expr) return input.name;
  }
  return readable(expr);
}

int ColumnMaker::of(const Expr& expr) {
  const Expr& one = meant(expr, book_);
  Column column;
  column.key = key_of(one, book_);
  column.name = display(expr);
  if (const auto found = numbers_.find(column.key); found != numbers_.end()) return found->second;
  column.expr = &one;
  column.type = one.type;
  column.reads = reads(one);
  if (one.op == Op::slot) {
    column.slot = one.number;
    book_.is_decision(one.number) ? describe_decision(column) : describe_fact(column);
  } else if (one.op != Op::path) {
    column.can_be_null = false;
    column.attainable = attainable(one);
    column.free = false;
  }
  return place(std::move(column));
}

int ColumnMaker::difference(const Expr& left, const Expr& right, bool& swapped) {
  const std::string left_key = key_of(left, book_), right_key = key_of(right, book_);
  swapped = right_key < left_key;
  const Expr &one = swapped ? right : left, &other = swapped ? left : right;
  Column column;
  column.key = (swapped ? right_key : left_key) + " - (" + (swapped ? left_key : right_key) + ")";
  if (const auto found = numbers_.find(column.key); found != numbers_.end()) return found->second;
  column.name = display(one) + " - " + display(other);
  column.expr = &one;
  column.minus = &other;
  column.type = Type::number;
  column.can_be_null = column.free = false;
  column.reads = reads(left);
  const std::vector<int> more = reads(right);
  const bool apart = std::none_of(more.begin(), more.end(),
                                  [&](int slot) { return std::find(column.reads.begin(), column.reads.end(), slot) != column.reads.end(); });
  column.reads.insert(column.reads.end(), more.begin(), more.end());
  column.attainable = apart && attainable(left) && attainable(right);
  return place(std::move(column));
}

int ColumnMaker::opaque(const Expr& expr) {
  Column column;
  column.key = "? " + key_of(expr, book_);
  column.name = readable(expr);
  column.opaque = true;
  column.can_be_null = column.free = column.attainable = false;
  return place(std::move(column));
}

void ColumnMaker::finish() {
  std::vector<int> users(static_cast<std::size_t>(book_.slot_count()), 0);
  for (Column& column : columns_) {
    std::sort(column.reads.begin(), column.reads.end());
    column.reads.erase(std::unique(column.reads.begin(), column.reads.end()), column.reads.end());
    for (const int slot : column.reads) ++users[static_cast<std::size_t>(slot)];
  }
  for (Column& column : columns_) {
    const bool alone = std::all_of(column.reads.begin(), column.reads.end(), [&](int slot) { return users[static_cast<std::size_t>(slot)] == 1; });
    column.free = column.free || (column.attainable && alone);
    column.finish();
  }
}

}  // namespace steelyard::rules::analysis
