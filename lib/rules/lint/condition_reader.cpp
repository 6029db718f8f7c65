#include "rules/lint/condition_reader.hpp"

#include <algorithm>

#include "rules/lint/expression_text.hpp"

namespace steelyard::rules::analysis {

namespace {

Formula opposite(Formula formula) { return Formula::join(Formula::Kind::negation, {std::move(formula)}); }

bool is_order(Op op) { return op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal; }

Op flipped(Op op) {
  switch (op) {
    case Op::less: return Op::greater;
    case Op::less_equal: return Op::greater_equal;
    case Op::greater: return Op::less;
    case Op::greater_equal: return Op::less_equal;
    default: return op;
  }
}

Span span_of(Op op, double value) {
  switch (op) {
    case Op::less: return {-infinity, value, true, true};
    case Op::less_equal: return {-infinity, value, true, false};
    case Op::greater: return {value, infinity, true, true};
    case Op::greater_equal: return {value, infinity, false, true};
    default: return {value, value, false, false};
  }
}

// Adds a constant to what an atom holds for; false where it is no plain constant.
bool add_value(Atom& atom, const Datum& value) {
  switch (value.kind) {
    case Kind::real: atom.spans.push_back(span_of(Op::equal, value.real)); return true;
    case Kind::text: atom.words.push_back(*value.text); return true;
    case Kind::boolean: (value.boolean ? atom.yes : atom.no) = true; return true;
    case Kind::null: atom.null = true; return true;
    default: return false;
  }
}

Expr relation(Op op, const Expr& left, const Expr& right) {
  Expr expr;
  expr.op = op;
  expr.type = Type::boolean;
  expr.args = {left, right};
  return expr;
}

bool is_place(const Expr& expr) { return expr.op == Op::slot || expr.op == Op::path || expr.op == Op::select; }

}  // namespace

Formula ConditionReader::noted(Atom atom) {
  columns_[static_cast<std::size_t>(atom.column)].note(atom);
  return Formula::of(std::move(atom));
}

Formula ConditionReader::opaque(const Expr& expr) {
  Atom atom;
  atom.column = maker_.opaque(expr);
  atom.yes = true;
  return noted(std::move(atom));
}

Formula ConditionReader::truth(const Expr& expr) {
  const auto parts = [&](Formula::Kind kind) {
    std::vector<Formula> formulas;
    for (const Expr& argument : expr.args) formulas.push_back(truth(argument));
    return Formula::join(kind, std::move(formulas));
  };
  switch (expr.op) {
    case Op::literal: return expr.value.kind == Kind::boolean ? Formula::constant(expr.value.boolean) : opaque(expr);
    case Op::logical_not: return opposite(truth(expr.args[0]));
    case Op::logical_and: return parts(Formula::Kind::all);
    case Op::logical_or: return parts(Formula::Kind::any);
    case Op::conditional: {
      const Formula when = truth(expr.args[0]);
      Formula yes = Formula::join(Formula::Kind::all, {when, truth(expr.args[1])});
      Formula no = Formula::join(Formula::Kind::all, {opposite(when), truth(expr.args[2])});
      return Formula::join(Formula::Kind::any, {std::move(yes), std::move(no)});
    }
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal: return compare(expr);
    case Op::in: return list(expr);
    default: break;
  }
  const Expr& one = meant(expr, book_);
  if (&one != &expr && !is_place(one)) return truth(one);  // a computed input
  if (one.op == Op::has && (one.args[0].op == Op::slot || one.args[0].op == Op::path)) {
    Atom atom;
    atom.column = maker_.of(one.args[0]);
    atom.has = true;
    return noted(std::move(atom));
  }
  if (!is_place(one)) return opaque(expr);
  Atom atom;
  atom.column = maker_.of(expr);
  atom.yes = atom.orders = true;
  return noted(std::move(atom));
}

Formula ConditionReader::compare(const Expr& expr) {
  const Expr &left = expr.args[0], &right = expr.args[1];
  if (right.op == Op::literal && left.op != Op::literal) return with_literal(expr.op, left, right.value, expr);
  if (left.op == Op::literal && right.op != Op::literal) return with_literal(flipped(expr.op), right, left.value, expr);
  return with_value(expr.op, left, right);
}

Formula ConditionReader::with_literal(Op op, const Expr& subject, const Datum& value, const Expr& whole) {
  const bool condition = value.kind == Kind::boolean && !is_order(op) && !is_place(meant(subject, book_));
  if (condition && subject.type == Type::boolean) return value.boolean == (op == Op::equal) ? truth(subject) : opposite(truth(subject));
  Atom atom;
  if (is_order(op)) {
    if (value.kind != Kind::real) return opaque(whole);
    atom.spans = {span_of(op, value.real)};
    atom.orders = true;
  } else if (!add_value(atom, value)) {
    return opaque(whole);
  }
  atom.column = maker_.of(subject);
  Formula formula = noted(std::move(atom));
  return op == Op::not_equal ? opposite(std::move(formula)) : formula;
}

// What two values are to each other is what their difference is to 0.
Formula ConditionReader::with_value(Op op, const Expr& left, const Expr& right) {
  bool swapped = false;
  Atom atom;
  atom.column = maker_.difference(left, right, swapped);
  const bool equality = op == Op::equal || op == Op::not_equal;
  atom.spans = {span_of(equality ? Op::equal : swapped ? flipped(op) : op, 0)};
  Formula formula = noted(std::move(atom));
  return op == Op::not_equal ? opposite(std::move(formula)) : formula;
}

Formula ConditionReader::list(const Expr& expr) {
  const Expr &element = expr.args[0], &container = expr.args[1];
  Atom atom;
  bool plain = container.op == Op::literal && container.value.kind == Kind::list && element.op != Op::literal;
  for (std::size_t at = 0; plain && at < container.value.list->size(); ++at) plain = add_value(atom, (*container.value.list)[at]);
  if (!plain) return opaque(expr);
  atom.column = maker_.of(element);
  return noted(std::move(atom));
}

Formula ConditionReader::test(const Test& test, const Expr& input) {
  if (test.form == Test::Form::equal) {
    const bool plain = test.low.op != Op::literal && test.low.type != Type::list && test.low.type != Type::any;
    return plain ? with_value(Op::equal, input, test.low) : opaque(relation(Op::equal, input, test.low));
  }
  std::vector<Formula> ends;
  const auto add = [&](Op op, const Expr& end) {
    if (end.op != Op::literal) return ends.push_back(with_value(op, input, end));
    const Expr whole = relation(op, input, end);
    ends.push_back(with_literal(op, input, end.value, whole));
  };
  if (test.has_low) add(test.low_open ? Op::greater : Op::greater_equal, test.low);
  if (test.has_high) add(test.high_open ? Op::less : Op::less_equal, test.high);
  return Formula::join(Formula::Kind::all, std::move(ends));
}

// Adds what a test with constants holds for; false where it is another kind of test.
bool ConditionReader::add_constants(const Test& test, const Expr& input, Atom& atom) {
  if (test.constant_range) {
    atom.spans.push_back({test.least, test.most, test.low_open || !test.has_low, test.high_open || !test.has_high});
    return atom.orders = true;
  }
  if (test.form != Test::Form::equal || test.low.op != Op::literal) return false;
  const Datum& value = test.low.value;
  if (value.kind != Kind::list) return add_value(atom, value);
  if (input.type == Type::list || input.type == Type::any) return false;
  return std::all_of(value.list->begin(), value.list->end(), [&](const Datum& one) { return add_value(atom, one); });
}

Formula ConditionReader::constants(Atom atom, const Expr& input) {
  const bool flag = atom.spans.empty() && atom.words.empty() && !atom.null && atom.yes != atom.no;
  if (flag && input.type == Type::boolean && !is_place(meant(input, book_))) return atom.yes ? truth(input) : opposite(truth(input));
  atom.column = maker_.of(input);
  return noted(std::move(atom));
}

Formula ConditionReader::cell(const Cell& cell, const Expr& input) {
  Atom atom;
  atom.in_cell = true;
  std::vector<Formula> alternatives;
  bool any = false;
  for (const Test& one : cell.tests) {
    const bool constant = add_constants(one, input, atom);
    any = any || constant;
    if (!constant) alternatives.push_back(test(one, input));
  }
  if (any) alternatives.push_back(constants(std::move(atom), input));
  Formula formula = alternatives.size() == 1 ? std::move(alternatives[0]) : Formula::join(Formula::Kind::any, std::move(alternatives));
  return cell.negated ? opposite(std::move(formula)) : formula;
}

}  // namespace steelyard::rules::analysis
