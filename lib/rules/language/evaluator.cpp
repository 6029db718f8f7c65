#include "rules/language/evaluator.hpp"

#include <algorithm>

#include "rules/language/functions.hpp"
#include "rules/language/model.hpp"
#include "rules/language/operators.hpp"

namespace steelyard::rules {

void Frame::forget_computed() {
  ++stamp_;
  if (stamp_ != for_good) return;
  for (std::uint32_t& stamp : stamps_) {  // the count has run out: old stamps would look current
    if (stamp != for_good) stamp = 0;
  }
  stamp_ = 1;
}

void Frame::forget_all() {
  std::fill(stamps_.begin(), stamps_.end(), 0);
  stamp_ = 1;
  heap_.clear();
}

namespace {

Datum no_truth(const Datum& value, std::string_view where, Heap& heap) {
  return heap.error(describe(value) + " " + std::string(where) + ": true or false is needed");
}

// Left or right decides alone where it can, even when the other is unknown or failed.
Datum logic(const Expr& expr, Frame& frame, bool deciding) {
  const Datum left = evaluate(expr.args[0], frame);
  if (left.kind == Kind::boolean && left.boolean == deciding) return left;
  const Datum right = evaluate(expr.args[1], frame);
  if (right.kind == Kind::boolean && right.boolean == deciding) return right;
  if (!left.known() || !right.known()) return merge(left, right, frame.heap());
  if (left.kind == Kind::boolean && right.kind == Kind::boolean) return right;
  return no_truth(left.kind == Kind::boolean ? right : left, deciding ? "in ||" : "in &&", frame.heap());
}

Datum logical_not(const Datum& value, Heap& heap) {
  if (value.kind == Kind::boolean) return Datum(!value.boolean);
  return value.known() ? no_truth(value, "after !", heap) : value;
}

// An unknown condition does not matter where both results are the same.
Datum conditional(const Expr& expr, Frame& frame) {
  const Datum condition = evaluate(expr.args[0], frame);
  if (condition.kind == Kind::boolean) return evaluate(expr.args[condition.boolean ? 1 : 2], frame);
  if (condition.kind == Kind::error) return condition;
  if (condition.kind != Kind::unknown) return no_truth(condition, "before ?", frame.heap());
  const Datum yes = evaluate(expr.args[1], frame);
  const Datum no = evaluate(expr.args[2], frame);
  if (yes.known() && no.known()) return equal(yes, no) ? yes : condition;
  Datum result = condition;
  if (yes.kind == Kind::unknown) result = merge(result, yes, frame.heap());
  if (no.kind == Kind::unknown) result = merge(result, no, frame.heap());
  return result;
}

Datum select(const Datum& base, const std::string& key, Heap& heap) {
  if (!base.known()) return base;
  if (base.kind != Kind::map) return heap.error("." + key + " of " + describe(base) + ": only maps have fields");
  const Datum* found = find(*base.map, key);
  return found ? *found : heap.error("no key \"" + key + "\"");
}

// A key that a fact lacks is as unknown as a fact that is missing; what does not apply has no parts that could.
Datum path(const Expr& expr, Frame& frame) {
  const Datum base = evaluate(expr.args[0], frame);
  if (base.kind == Kind::null) return base;
  if (base.kind == Kind::unknown) return frame.heap().unknown({expr.number});
  if (base.kind == Kind::map) {
    if (const Datum* found = find(*base.map, expr.text)) return *found;
    return frame.heap().unknown({expr.number});
  }
  return select(base, expr.text, frame.heap());
}

Datum has(const Expr& expr, Frame& frame) {
  const Expr& field = expr.args[0];
  if (field.op == Op::slot) {
    const Datum& value = frame.load(field.number);
    return value.kind == Kind::error ? value : Datum(value.kind != Kind::unknown);
  }
  if (field.op != Op::select) {
    const Datum value = evaluate(field, frame);
    return value.kind == Kind::error ? value : Datum(value.kind != Kind::unknown);
  }
  const Datum base = evaluate(field.args[0], frame);
  if (!base.known()) return base.kind == Kind::unknown && frame.mode() == ExprMode::book ? Datum(false) : base;
  if (base.kind != Kind::map) return frame.heap().error("has(): " + describe(base) + " has no fields");
  return Datum(find(*base.map, field.text) != nullptr);
}

Datum make_list(const Expr& expr, Frame& frame) {
  List list;
  list.reserve(expr.args.size());
  Datum blocked;
  for (const Expr& item : expr.args) {
    list.push_back(evaluate(item, frame));
    if (!list.back().known()) blocked = merge(blocked, list.back(), frame.heap());
  }
  return blocked.known() ? frame.heap().list(std::move(list)) : blocked;
}

Datum make_map(const Expr& expr, Frame& frame) {
  Map map;
  map.reserve(expr.args.size() / 2);
  Datum blocked;
  for (std::size_t at = 0; at + 1 < expr.args.size(); at += 2) {
    const Datum key = evaluate(expr.args[at], frame);
    const Datum value = evaluate(expr.args[at + 1], frame);
    if (!key.known() || !value.known()) {
      blocked = merge(blocked, merge(key, value, frame.heap()), frame.heap());
      continue;
    }
    const bool fits = key.kind == Kind::boolean || key.kind == Kind::integer || key.kind == Kind::text ||
                      (key.kind == Kind::real && frame.mode() == ExprMode::book);
    if (!fits) return frame.heap().error(describe(key) + " cannot be a map key");
    if (find(map, key)) return frame.heap().error("map key " + describe(key) + " stands twice");
    map.emplace_back(key, value);
  }
  return blocked.known() ? frame.heap().map(std::move(map)) : blocked;
}

Datum call(const Expr& expr, Frame& frame) {
  constexpr std::size_t few = 4;
  Datum on_stack[few];
  List many;
  if (expr.args.size() > few) many.resize(expr.args.size());
  Datum* arguments = expr.args.size() > few ? many.data() : on_stack;
  Datum blocked;
  for (std::size_t at = 0; at < expr.args.size(); ++at) {
    arguments[at] = evaluate(expr.args[at], frame);
    if (!arguments[at].known()) blocked = merge(blocked, arguments[at], frame.heap());
  }
  if (!blocked.known()) return blocked;
  if (expr.function == Function::model) return call_model(*expr.model, {arguments, expr.args.size()}, expr.number, frame.heap());
  return call_function(expr.function, {arguments, expr.args.size()}, expr.pattern.get(), frame.mode(), frame.heap());
}

// Runs a body once for each element (of a map: each key) with the variable set.
class Range {
 public:
  Range(const Expr& expr, Frame& frame) : place_(static_cast<std::size_t>(expr.number)), frame_(frame), range_(evaluate(expr.args[0], frame)) {
    auto& locals = frame_.locals();
    if (locals.size() <= place_) locals.resize(place_ + 1);
    if (range_.known() && range_.kind != Kind::list && range_.kind != Kind::map)
      range_ = frame.heap().error(describe(range_) + " is neither list nor map");
  }
  bool good() const { return range_.known(); }
  const Datum& why_not() const { return range_; }
  std::size_t size() const { return range_.kind == Kind::list ? range_.list->size() : range_.map->size(); }
  const Datum& element(std::size_t at) const { return range_.kind == Kind::list ? (*range_.list)[at] : (*range_.map)[at].first; }
  Datum run(const Expr& body, std::size_t at) {
    frame_.locals()[place_] = element(at);
    return evaluate(body, frame_);
  }

 private:
  std::size_t place_;
  Frame& frame_;
  Datum range_;
};

// `exists` is a chain of ||, `all` one of &&: one deciding element is enough, whatever the others are.
Datum any_of(const Expr& expr, Frame& frame, bool deciding) {
  Range range(expr, frame);
  if (!range.good()) return range.why_not();
  Datum blocked;
  for (std::size_t at = 0; at < range.size(); ++at) {
    Datum truth = range.run(expr.args[1], at);
    if (truth.kind == Kind::boolean && truth.boolean == deciding) return truth;
    if (truth.known() && truth.kind != Kind::boolean) truth = no_truth(truth, "in a macro", frame.heap());
    if (!truth.known()) blocked = merge(blocked, truth, frame.heap());
  }
  return blocked.known() ? Datum(!deciding) : blocked;
}

Datum filter(const Expr& expr, Frame& frame) {
  Range range(expr, frame);
  if (!range.good()) return range.why_not();
  List list;
  Datum blocked;
  for (std::size_t at = 0; at < range.size(); ++at) {
    Datum truth = range.run(expr.args[1], at);
    if (truth.known() && truth.kind != Kind::boolean) truth = no_truth(truth, "in a macro", frame.heap());
    if (!truth.known()) blocked = merge(blocked, truth, frame.heap());
    if (truth.kind == Kind::boolean && truth.boolean) list.push_back(range.element(at));
  }
  if (!blocked.known()) return blocked;
  if (expr.op == Op::exists_one) return Datum(list.size() == 1);
  return frame.heap().list(std::move(list));
}

Datum map_macro(const Expr& expr, Frame& frame) {
  Range range(expr, frame);
  if (!range.good()) return range.why_not();
  List list;
  Datum blocked;
  for (std::size_t at = 0; at < range.size(); ++at) {
    Datum item = range.run(expr.args[1], at);
    if (expr.args.size() > 2) {
      if (item.known() && item.kind != Kind::boolean) item = no_truth(item, "in a macro", frame.heap());
      if (item.kind == Kind::boolean && !item.boolean) continue;
      if (item.known()) item = range.run(expr.args[2], at);
    }
    if (!item.known()) blocked = merge(blocked, item, frame.heap());
    list.push_back(item);
  }
  return blocked.known() ? frame.heap().list(std::move(list)) : blocked;
}

}  // namespace

Datum evaluate_operation(const Expr& expr, Frame& frame) {
  const auto argument = [&](std::size_t at) { return evaluate(expr.args[at], frame); };
  switch (expr.op) {
    case Op::literal: return expr.value;
    case Op::slot: return frame.load(expr.number);
    case Op::local: return frame.locals()[static_cast<std::size_t>(expr.number)];
    case Op::path: return path(expr, frame);
    case Op::name:
    case Op::fail: return frame.heap().error(expr.text);
    case Op::select: return select(argument(0), expr.text, frame.heap());
    case Op::index: return index(argument(0), argument(1), frame.heap());
    case Op::make_list: return make_list(expr, frame);
    case Op::make_map: return make_map(expr, frame);
    case Op::negate: return negate(argument(0), frame.heap());
    case Op::logical_not: return logical_not(argument(0), frame.heap());
    case Op::logical_and: return logic(expr, frame, false);
    case Op::logical_or: return logic(expr, frame, true);
    case Op::conditional: return conditional(expr, frame);
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::modulo: return arithmetic(expr.op, argument(0), argument(1), frame.mode(), frame.heap());
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal: return compare(expr.op, argument(0), argument(1), frame.heap());
    case Op::in: return contains(argument(0), argument(1), frame.heap());
    case Op::has: return has(expr, frame);
    case Op::call: return call(expr, frame);
    case Op::all: return any_of(expr, frame, false);
    case Op::exists: return any_of(expr, frame, true);
    case Op::exists_one:
    case Op::filter: return filter(expr, frame);
    case Op::map: return map_macro(expr, frame);
  }
  return frame.heap().error("no such operation");
}

}  // namespace steelyard::rules
