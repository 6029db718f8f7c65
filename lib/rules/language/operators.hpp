// Arithmetic and comparison of two values, unknown and errors included.
#pragma once

#include "rules/language/expr.hpp"

namespace steelyard::rules {

Datum arithmetic(Op op, const Datum& left, const Datum& right, ExprMode mode, Heap& heap);
Datum compare(Op op, const Datum& left, const Datum& right, Heap& heap);
template <class T>
Datum compare_as(Op op, T left, T right) {  // not by one order: NaN is neither less nor greater
  switch (op) {
    case Op::equal: return Datum(left == right);
    case Op::not_equal: return Datum(left != right);
    case Op::less: return Datum(left < right);
    case Op::less_equal: return Datum(left <= right);
    case Op::greater: return Datum(left > right);
    default: return Datum(left >= right);
  }
}
Datum negate(const Datum& value, Heap& heap);
Datum contains(const Datum& element, const Datum& container, Heap& heap);
Datum index(const Datum& container, const Datum& key, Heap& heap);
std::string_view symbol_of(Op op);

}  // namespace steelyard::rules
