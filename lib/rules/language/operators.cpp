#include "rules/language/operators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace steelyard::rules {

std::string_view symbol_of(Op op) {
  switch (op) {
    case Op::add: return "+";
    case Op::subtract: return "-";
    case Op::multiply: return "*";
    case Op::divide: return "/";
    case Op::modulo: return "%";
    case Op::equal: return "==";
    case Op::not_equal: return "!=";
    case Op::less: return "<";
    case Op::less_equal: return "<=";
    case Op::greater: return ">";
    case Op::greater_equal: return ">=";
    case Op::in: return "in";
    default: return "?";
  }
}

namespace {

Datum no_overload(Op op, const Datum& left, const Datum& right, Heap& heap) {
  const bool null = left.kind == Kind::null || right.kind == Kind::null;
  return heap.error(describe(left) + " " + std::string(symbol_of(op)) + " " + describe(right) + ": not for " + std::string(kind_name(left.kind)) +
                    " and " + std::string(kind_name(right.kind)) + (null ? "; test for null first" : ""));
}

Datum whole_arithmetic(Op op, std::int64_t left, std::int64_t right, Heap& heap) {
  std::int64_t result = 0;
  bool overflow = false;
  const bool division = op == Op::divide || op == Op::modulo;
  if (division && right == 0) return heap.error("division by zero");
  if (division && right == -1) return op == Op::modulo ? Datum(std::int64_t{0}) : whole_arithmetic(Op::subtract, 0, left, heap);
  switch (op) {
    case Op::add: overflow = __builtin_add_overflow(left, right, &result); break;
    case Op::subtract: overflow = __builtin_sub_overflow(left, right, &result); break;
    case Op::multiply: overflow = __builtin_mul_overflow(left, right, &result); break;
    case Op::divide: result = left / right; break;
    default: result = left % right; break;
  }
  return overflow ? heap.error("out of the range of a 64-bit integer") : Datum(result);
}

// In a book a division by zero fails: an infinite figure could not be explained. Strict mode keeps IEEE's infinity.
Datum real_arithmetic(Op op, double left, double right, ExprMode mode, Heap& heap) {
  switch (op) {
    case Op::add: return Datum(left + right);
    case Op::subtract: return Datum(left - right);
    case Op::multiply: return Datum(left * right);
    case Op::divide:
      if (right == 0 && mode == ExprMode::book) return heap.error("division by zero");
      return Datum(left / right);
    default:
      if (mode == ExprMode::strict) return heap.error("% is for whole numbers");
      return right == 0 ? heap.error("division by zero") : Datum(std::fmod(left, right));
  }
}

Datum joined(const List& left, const List& right, Heap& heap) {
  List list = left;
  list.insert(list.end(), right.begin(), right.end());
  return heap.list(std::move(list));
}

Datum ordered(Op op, int order) {
  switch (op) {
    case Op::less: return Datum(order < 0);
    case Op::less_equal: return Datum(order <= 0);
    case Op::greater: return Datum(order > 0);
    default: return Datum(order >= 0);
  }
}

}  // namespace

Datum arithmetic(Op op, const Datum& left, const Datum& right, ExprMode mode, Heap& heap) {
  if (left.kind == Kind::real && right.kind == Kind::real) return real_arithmetic(op, left.real, right.real, mode, heap);
  if (!left.known() || !right.known()) return merge(left, right, heap);
  if (left.kind == Kind::integer && right.kind == Kind::integer) return whole_arithmetic(op, left.integer, right.integer, heap);
  if (left.is_number() && right.is_number() && mode == ExprMode::book) return real_arithmetic(op, left.number(), right.number(), mode, heap);
  if (op == Op::add && left.kind == right.kind) {
    if (left.kind == Kind::text) return heap.text(*left.text + *right.text);
    if (left.kind == Kind::list) return joined(*left.list, *right.list, heap);
  }
  return no_overload(op, left, right, heap);
}

Datum compare(Op op, const Datum& left, const Datum& right, Heap& heap) {
  if (left.kind == Kind::real && right.kind == Kind::real) return compare_as(op, left.real, right.real);  // most of what is compared
  if (!left.known() || !right.known()) return merge(left, right, heap);
  if (op == Op::equal) return Datum(equal(left, right));
  if (op == Op::not_equal) return Datum(!equal(left, right));
  if (left.kind == Kind::integer && right.kind == Kind::integer) return compare_as(op, left.integer, right.integer);
  if (left.is_number() && right.is_number()) return compare_as(op, left.number(), right.number());
  if (left.kind != right.kind) return no_overload(op, left, right, heap);
  if (left.kind == Kind::text) return ordered(op, left.text->compare(*right.text));
  if (left.kind == Kind::boolean) return ordered(op, static_cast<int>(left.boolean) - static_cast<int>(right.boolean));
  return no_overload(op, left, right, heap);
}

Datum negate(const Datum& value, Heap& heap) {
  if (value.kind == Kind::real) return Datum(-value.real);
  if (value.kind == Kind::integer) return whole_arithmetic(Op::subtract, 0, value.integer, heap);
  return value.known() ? heap.error("-" + describe(value) + ": not for " + std::string(kind_name(value.kind))) : value;
}

Datum contains(const Datum& element, const Datum& container, Heap& heap) {
  if (!element.known() || !container.known()) return merge(element, container, heap);
  if (container.kind == Kind::map) return Datum(find(*container.map, element) != nullptr);
  if (container.kind != Kind::list) return no_overload(Op::in, element, container, heap);
  return Datum(std::any_of(container.list->begin(), container.list->end(), [&](const Datum& item) { return equal(item, element); }));
}

Datum index(const Datum& container, const Datum& key, Heap& heap) {
  if (!container.known() || !key.known()) return merge(container, key, heap);
  if (container.kind == Kind::map) {
    const Datum* found = find(*container.map, key);
    return found ? *found : heap.error("no key " + describe(key));
  }
  if (container.kind != Kind::list || !key.is_number())
    return heap.error("[" + describe(key) + "] of " + describe(container) + ": not for these kinds");
  const double place = key.number();
  const bool inside = place >= 0 && place < static_cast<double>(container.list->size()) && place == std::floor(place);
  return inside ? (*container.list)[static_cast<std::size_t>(place)]
                : heap.error("index " + describe(key) + " of a list of " + std::to_string(container.list->size()));
}

}  // namespace steelyard::rules
