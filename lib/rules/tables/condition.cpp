#include "rules/tables/condition.hpp"

#include "rules/language/operators.hpp"

namespace steelyard::rules {

namespace {

void add_terms(const Expr& expr, std::vector<QuickTerm>& terms) {
  if (expr.op == Op::logical_and) {
    for (const Expr& side : expr.args) add_terms(side, terms);
    return;
  }
  QuickTerm& term = terms.emplace_back();
  term.expr = &expr;
  const Expr* plain = &expr;
  if (expr.op == Op::logical_not) {
    term.negated = true;
    plain = &expr.args[0];
  }
  if (plain->op == Op::slot) {
    term.form = QuickTerm::Form::flag;
    term.slot = plain->number;
  } else if (plain->op == Op::has && plain->args[0].op == Op::slot) {
    term.form = QuickTerm::Form::known;
    term.slot = plain->args[0].number;
  } else if (expr.op >= Op::equal && expr.op <= Op::greater_equal && expr.args[0].op == Op::slot && expr.args[1].op == Op::literal &&
             expr.args[1].value.kind == Kind::real) {
    term.form = QuickTerm::Form::order;
    term.op = expr.op;
    term.slot = expr.args[0].number;
    term.number = expr.args[1].value.real;
  }
}

Datum test_term(const QuickTerm& term, Frame& frame) {
  if (term.form == QuickTerm::Form::general) return evaluate(*term.expr, frame);
  const Datum& value = frame.load(term.slot);
  switch (term.form) {
    case QuickTerm::Form::known:
      if (value.kind != Kind::error) return Datum((value.kind != Kind::unknown) != term.negated);
      break;
    case QuickTerm::Form::flag:
      if (value.kind == Kind::boolean) return Datum(value.boolean != term.negated);
      break;
    default:
      if (value.kind == Kind::real) return compare_as(term.op, value.real, term.number);
  }
  return evaluate(*term.expr, frame);
}

}  // namespace

std::vector<QuickTerm> quick_terms(const Expr& condition) {
  std::vector<QuickTerm> terms;
  add_terms(condition, terms);
  return terms;
}

Datum test_terms(const std::vector<QuickTerm>& terms, const Expr& condition, Frame& frame) {
  Datum blocked;
  for (const QuickTerm& term : terms) {
    const Datum truth = test_term(term, frame);
    if (truth.kind == Kind::boolean) {
      if (!truth.boolean) return truth;
    } else if (truth.known()) {
      return evaluate(condition, frame);  // no truth: the tree knows the words for it
    } else {
      blocked = merge(blocked, truth, frame.heap());
    }
  }
  return blocked.known() ? Datum(true) : blocked;
}

}  // namespace steelyard::rules
