// Rules with the same conditions: the same output twice, or two outputs.
#include <unordered_map>

#include "rules/lint/checks.hpp"

namespace steelyard::rules::analysis {

namespace {

std::size_t hash(const Boxes& boxes) {
  std::size_t sum = boxes.size();
  for (const Box& box : boxes) {
    std::size_t one = 0;
    for (const Bits& set : box) one = one * 31 + set.hash();
    sum += one;  // the order of the boxes does not count
  }
  return sum;
}

bool one_output(HitPolicy policy) { return policy <= HitPolicy::first; }

void report(const Table& table, int first, int second, bool same, Findings& findings) {
  const RuleData &one = table.rule(first), &other = table.rule(second);
  RuleFinding& finding =
      same ? findings.add("duplicate", other.where, "rule " + other.id + ": same conditions and output as rule " + named(one), "take one of them out")
           : findings.add("contradiction", other.where,
                          "rule " + other.id + ": same conditions as rule " + named(one) + ", but " + to_json(other.then.constant) + " instead of " +
                              to_json(one.then.constant),
                          "take one out, or make the conditions differ");
  finding.rules = {one.id, other.id};
  const Boxes& rows = table.rules[static_cast<std::size_t>(second)].certain;
  finding.witness = row_value(table, row_of(table, rows.front()));
}

}  // namespace

void check_equal_rules(const Table& table, Findings& findings, std::vector<bool>& dead) {
  std::unordered_map<std::size_t, std::vector<int>> seen;
  for (int number = 0; number < table.rule_count(); ++number) {
    const TableRule& rule = table.rules[static_cast<std::size_t>(number)];
    if (rule.certain.empty()) continue;
    std::vector<int>& others = seen[hash(rule.certain)];
    for (const int other : others) {
      if (!equal_rows(rule, table.rules[static_cast<std::size_t>(other)])) continue;
      const auto same = same_output(table.rule(other).then, table.rule(number).then);
      const bool told = same && (*same || one_output(table.decision->policy));
      if (!told) continue;
      report(table, other, number, *same, findings);
      if (one_output(table.decision->policy)) dead[static_cast<std::size_t>(number)] = true;
      break;
    }
    others.push_back(number);
  }
}

}  // namespace steelyard::rules::analysis
