// Rules that others always beat: earlier ones under FIRST, more important ones under PRIORITY.
#include <algorithm>

#include "core/text.hpp"
#include "rules/lint/checks.hpp"

namespace steelyard::rules::analysis {

namespace {

// Place of an output among the priorities, as the table ranks it; empty where it is not fixed.
std::optional<std::vector<std::size_t>> rank(const DecisionData& decision, const OutputData& output) {
  if (output.whole.op != Op::literal) return std::nullopt;
  std::vector<std::size_t> ranks;
  for (const auto& [name, values] : decision.priorities) {
    const Value* value = name.empty() ? &output.constant : output.constant.is_map() ? output.constant.find(name) : nullptr;
    const auto found = std::find_if(values.begin(), values.end(), [&](const Value& one) { return value && one == *value; });
    ranks.push_back(static_cast<std::size_t>(found - values.begin()));
  }
  return ranks;
}

class ShadowCheck {
 public:
  ShadowCheck(const Table& table, Findings& findings, std::vector<bool>& dead)
      : table_(table), findings_(findings), dead_(dead), search_(table.columns) {
    for (int number = 0; number < table.rule_count(); ++number) {
      for (const Box& box : table.rules[static_cast<std::size_t>(number)].certain) {
        search_.add(box);
        owners_.push_back(number);
      }
      ranks_.push_back(table.decision->policy == HitPolicy::priority ? rank(*table.decision, table.rule(number).then) : std::vector<std::size_t>{});
    }
  }

  void run() {
    for (int number = 0; number < table_.rule_count(); ++number) {
      if (dead_[static_cast<std::size_t>(number)] || table_.rules[static_cast<std::size_t>(number)].too_large ||
          !ranks_[static_cast<std::size_t>(number)])
        continue;
      std::vector<int> stronger = rules_over(number);
      if (!covered(number, stronger)) continue;
      dead_[static_cast<std::size_t>(number)] = true;
      report(number, least(number, std::move(stronger)));
    }
  }

 private:
  // Rules that win where both apply.
  std::vector<int> rules_over(int number) const {
    std::vector<int> rules;
    const auto& own = ranks_[static_cast<std::size_t>(number)];
    for (int other = 0; other < table_.rule_count(); ++other) {
      const auto& rank = ranks_[static_cast<std::size_t>(other)];
      const bool wins = rank && (*rank < *own || (*rank == *own && other < number));
      if (wins) rules.push_back(other);
    }
    return rules;
  }

  Bits boxes_of_rules(const std::vector<int>& rules) const {
    Bits chosen(search_.count());
    for (int at = 0; at < search_.count(); ++at) {
      if (std::binary_search(rules.begin(), rules.end(), owners_[static_cast<std::size_t>(at)])) chosen.set(at);
    }
    return chosen;
  }

  bool covered(int number, const std::vector<int>& rules) {
    const Bits chosen = boxes_of_rules(rules);
    const Boxes& rows = table_.rules[static_cast<std::size_t>(number)].certain;
    return std::all_of(rows.begin(), rows.end(), [&](const Box& box) { return search_.covered(box, chosen).state == Coverage::State::covered; });
  }

  // The rules that are needed to cover it: first one alone, then what is left after taking out one after the other.
  std::vector<int> least(int number, std::vector<int> rules) {
    const Boxes& rows = table_.rules[static_cast<std::size_t>(number)].certain;
    std::erase_if(rules, [&](int other) {
      const Boxes& boxes = table_.rules[static_cast<std::size_t>(other)].certain;
      return std::none_of(boxes.begin(), boxes.end(),
                          [&](const Box& box) { return std::any_of(rows.begin(), rows.end(), [&](const Box& row) { return meet(box, row); }); });
    });
    for (const int one : rules) {
      if (covered(number, {one})) return {one};
    }
    constexpr std::size_t few = 64;
    for (std::size_t at = rules.size(); rules.size() <= few && at-- > 0;) {
      std::vector<int> fewer = rules;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
      if (covered(number, fewer)) rules = std::move(fewer);
    }
    return rules;
  }

  void report(int number, const std::vector<int>& by) {
    const RuleData& rule = table_.rule(number);
    std::vector<std::string> names, ids{rule.id};
    for (const int other : by) {
      names.push_back(names.size() < 4 ? named(table_.rule(other)) : table_.rule(other).id);
      ids.push_back(table_.rule(other).id);
    }
    const bool first = table_.decision->policy == HitPolicy::first;
    RuleFinding& finding = findings_.add("shadowed", rule.where,
                                         "rule " + rule.id + " never decides: wherever it applies, " +
                                             (first ? "an earlier one does: " : "a more important one does: ") + join(names, ", "),
                                         first ? "move it up, narrow the earlier rule, or take it out" : "narrow the other rule, or take it out");
    finding.rules = std::move(ids);
    finding.witness = row_value(table_, row_of(table_, table_.rules[static_cast<std::size_t>(number)].certain.front()));
  }

  const Table& table_;
  Findings& findings_;
  std::vector<bool>& dead_;
  CoverSearch search_;
  std::vector<int> owners_;                                     // box -> rule
  std::vector<std::optional<std::vector<std::size_t>>> ranks_;  // rule -> place of its output
};

}  // namespace

void check_shadows(const Table& table, Findings& findings, std::vector<bool>& dead) {
  if (table.decision->policy == HitPolicy::first || table.decision->policy == HitPolicy::priority) ShadowCheck(table, findings, dead).run();
}

}  // namespace steelyard::rules::analysis
