// Conditions that never or always hold, and defaults that are never reached.
#include <algorithm>

#include "rules/lint/checks.hpp"

namespace steelyard::rules::analysis {

namespace {

bool always_holds(const Table& table, const TableRule& rule) {
  if (rule.always || rule.too_large) return false;
  const auto against = boxes_of(rule.condition, table.columns, Reading::certain, false);
  const Box bounds = usual(table.columns);
  return against && std::none_of(against->begin(), against->end(), [&](const Box& box) { return meet(box, bounds); });
}

const SourceLocation& condition_place(const RuleData& rule) { return rule.condition ? rule.condition->where : rule.where; }

}  // namespace

void check_conditions(const Table& table, Findings& findings, std::vector<bool>& dead) {
  for (int number = 0; number < table.rule_count(); ++number) {
    const TableRule& rule = table.rules[static_cast<std::size_t>(number)];
    const RuleData& data = table.rule(number);
    if (!rule.too_large && rule.certain.empty()) {
      dead[static_cast<std::size_t>(number)] = true;
      findings
          .add("always_false", condition_place(data), "rule " + data.id + ": its condition never holds",
               "correct the condition, or take the rule out")
          .rules = {data.id};
    } else if (always_holds(table, rule)) {
      findings
          .add("always_true", condition_place(data), "rule " + data.id + ": its condition holds for every known value",
               "write `when: true` if that is meant")
          .rules = {data.id};
    }
  }
}

void check_default(const Table& table, Findings& findings) {
  const DecisionData& decision = *table.decision;
  if (!decision.otherwise || decision.policy == HitPolicy::expression || decision.policy == HitPolicy::collect_count) return;
  CoverSearch search(table.columns);
  for (const TableRule& rule : table.rules) {
    for (const Box& box : rule.certain) search.add(box);
  }
  if (search.covered(whole(table.columns), search.all()).state != Coverage::State::covered) return;
  findings.add("unreachable_default", decision.otherwise->where, "decision " + decision.id + ": the rules leave nothing to the default",
               "take the default out");
}

}  // namespace steelyard::rules::analysis
