// Bare numbers that are compared with quantities.
#include "core/text.hpp"
#include "rules/lint/checks.hpp"
#include "rules/lint/expression_text.hpp"

namespace steelyard::rules::analysis {

namespace {

bool is_quantity(const Unit& unit) { return unit.stated && !unit.pure(); }

// 0 is 0 in every unit but those of temperature.
bool is_bare(const Expr& expr) { return expr.op == Op::literal && expr.bare && expr.value.kind == Kind::real && expr.value.real != 0; }

bool compares(Op op) {
  switch (op) {
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal: return true;
    default: return false;
  }
}

class UnitCheck {
 public:
  UnitCheck(const BookData& book, const DecisionData& decision, Findings& findings) : book_(book), decision_(decision), findings_(findings) {}

  void run() {
    for (const InputData& input : decision_.inputs) {
      if (input.computed) look(input.expression, "decision " + decision_.id + ": input " + input.name, {});
    }
    for (const RuleData& rule : decision_.rules) {
      const bool expression = decision_.policy == HitPolicy::expression;
      const std::string owner = (expression ? "decision " : "rule ") + rule.id;
      if (rule.condition) look(*rule.condition, owner + ": when", rule.id);
      for (std::size_t at = 0; at < rule.cells.size(); ++at) look_at_cell(rule, rule.cells[at], decision_.inputs[at]);
      for (const auto& field : rule.then.fields) look(field.expression, owner + (expression ? ": value" : ": then"), rule.id);
    }
  }

 private:
  void look(const Expression& expression, const std::string& owner, const std::string& rule) { walk(expression.expr, expression.where, owner, rule); }

  void walk(const Expr& expr, const SourceLocation& where, const std::string& owner, const std::string& rule) {
    for (const Expr& argument : expr.args) walk(argument, where, owner, rule);
    if (!compares(expr.op)) return;
    for (const std::size_t side : {0, 1}) {
      const Expr &number = expr.args[side], &quantity = expr.args[1 - side];
      if (is_bare(number) && is_quantity(quantity.unit)) report(number, readable(quantity), unit_of(quantity), where, owner, rule);
    }
  }

  void look_at_cell(const RuleData& rule, const Cell& cell, const InputData& input) {
    const Expr& subject = input.expression.expr;
    const Unit& unit = book_.meanings[static_cast<std::size_t>(input.slot)].unit;
    if (!is_quantity(unit)) return;
    for (const Test& test : cell.tests) {
      for (const Expr* end : {&test.low, &test.high}) {
        if (is_bare(*end)) report(*end, input.name, unit_of(subject), cell.where, "rule " + rule.id + ": when " + input.name, rule.id);
      }
    }
  }

  // As the book writes it, where it writes one.
  std::string unit_of(const Expr& expr) const {
    const Expr& one = meant(expr, book_);
    if (one.op == Op::slot)
      return book_.is_decision(one.number) ? book_.decision_at(one.number).unit_text : book_.facts[static_cast<std::size_t>(one.number)].unit_text;
    return {};
  }

  void report(const Expr& number, const std::string& quantity, const std::string& unit, SourceLocation where, const std::string& owner,
              const std::string& rule) {
    if (where.column > 0) where.column += static_cast<int>(number.offset);
    const std::string figure = format_number(number.value.real), dimension = unit.empty() ? dimension_name(number.unit) : unit;
    RuleFinding& finding = findings_.add("missing_unit", where, owner + ": " + figure + " has no unit, " + quantity + " is in " + dimension,
                                         unit.empty() ? "write a quantity" : "write " + figure + " " + unit);
    if (!rule.empty()) finding.rules = {rule};
  }

  const BookData& book_;
  const DecisionData& decision_;
  Findings& findings_;
};

}  // namespace

void check_units(const BookData& book, const DecisionData& decision, Findings& findings) { UnitCheck(book, decision, findings).run(); }

}  // namespace steelyard::rules::analysis
