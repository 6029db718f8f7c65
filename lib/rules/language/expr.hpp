// A parsed expression; the checker resolves it in place, the evaluator and the column compiler walk it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rules/language/datum.hpp"
#include "rules/language/units.hpp"

namespace steelyard::rules {

enum class Op : unsigned char {
  literal,
  name,
  select,
  index,
  make_list,
  make_map,  // name: not yet resolved; select: `text` is the key
  slot,
  local,
  path,
  fail,  // slot: a fact or decision; path: a key of a map fact; fail: `text` is the error
  negate,
  logical_not,
  logical_and,
  logical_or,
  conditional,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  has,
  call,
  all,
  exists,
  exists_one,
  filter,
  map,  // macros: args = range, body; `number` is the place of the variable
};

/// What is known of a value before it runs. `any`: nothing.
enum class Type : unsigned char { any, null, boolean, integer, number, text, list, map };

std::string_view type_name(Type type);

enum class Function : unsigned char {
  none,
  size,
  to_int,
  to_double,
  to_string,
  to_bool,
  dyn,
  contains,
  starts_with,
  ends_with,
  matches,
  greatest,
  least,
  ceil,
  floor,
  round,
  trunc,
  abs,
  sign,
  sqrt,
  is_nan,
  is_inf,
  is_finite,
  model,  // of the program: Expr::model
};

class Pattern;  // a compiled regular expression
struct Model;   // a function of the program

struct Expr {
  Op op = Op::literal;
  Type type = Type::any;
  Function function = Function::none;
  bool bare = false;         // a number literal without unit: takes the unit of what it meets
  std::uint32_t offset = 0;  // byte in the source text
  int number = 0;            // slot or local variable
  Datum value;               // of a literal
  Unit unit;                 // of a number
  std::string text;          // name, key, function, or error
  std::vector<Expr> args;
  std::shared_ptr<const Pattern> pattern;  // of `matches` with a literal pattern
  std::shared_ptr<const Model> model;      // of Function::model; `number` names a result that is not known
};

/// A fault in an expression: byte offset in its text.
struct Fault {
  std::size_t offset = 0;
  std::string message;
  std::string fix;
};
using Faults = std::vector<Fault>;

/// strict: CEL to the letter (integers are a kind of their own, no mixed arithmetic, no quantities, missing names fail when they are reached).
/// book: one kind of number, quantities, unknown facts, names checked at load.
enum class ExprMode : unsigned char { strict, book };

}  // namespace steelyard::rules
