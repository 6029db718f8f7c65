// An expression as text: for messages, and as a key under which equal expressions meet.
#pragma once

#include <string>

#include "rules/book.hpp"

namespace steelyard::rules::analysis {

/// As people read it: names as written, quotients and sums as such.
std::string readable(const Expr& expr);
/// The same with slots instead of names; equal keys mean the same value. Computed inputs stand as their expressions.
std::string key_of(const Expr& expr, const BookData& book);
/// The expression of a computed input instead of its slot.
const Expr& meant(const Expr& expr, const BookData& book);

}  // namespace steelyard::rules::analysis
