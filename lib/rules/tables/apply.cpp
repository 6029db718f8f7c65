#include "rules/tables/apply.hpp"

#include <algorithm>

namespace steelyard::rules {

Datum rule_truth(const RuleData& rule, Frame& frame) {
  if (rule.condition) {
    const Datum truth = evaluate(rule.condition->expr, frame);
    if (truth.kind == Kind::boolean || !truth.known()) return truth;
    return frame.heap().error(describe(truth) + " is no condition");
  }
  Datum blocked;
  for (const QuickCell& cell : rule.quick) {
    const Datum truth = test_quick(cell, frame.load(cell.slot), frame);
    if (truth.kind == Kind::boolean) {
      if (!truth.boolean) return truth;
    } else {
      blocked = merge(blocked, truth, frame.heap());
    }
  }
  return blocked.known() ? Datum(true) : blocked;
}

namespace {

class Table {
 public:
  Table(const DecisionData& decision, Frame& frame, Result& result) : decision_(decision), frame_(frame), result_(result) {}

  void run() {
    result_.yes.clear();
    result_.maybe.clear();
    result_.output = Datum();
    if (!ask_rules()) return;
    switch (decision_.policy) {
      case HitPolicy::first:
      case HitPolicy::expression: return first();
      case HitPolicy::unique: return unique();
      case HitPolicy::any: return any();
      case HitPolicy::priority: return priority();
      case HitPolicy::output_order: sort_by_rank(result_.yes); return list();
      case HitPolicy::rule_order:
      case HitPolicy::collect: return list();
      case HitPolicy::collect_count: return count();
      case HitPolicy::collect_sum: return sum();
      case HitPolicy::collect_min:
      case HitPolicy::collect_max: return extreme();
    }
  }

 private:
  const RuleData& rule(int number) const { return decision_.rules[static_cast<std::size_t>(number)]; }
  Heap& heap() { return frame_.heap(); }

  // False where a condition failed. FIRST stops at the first rule that applies.
  bool ask_rules() {
    for (int number = 0; number < static_cast<int>(decision_.rules.size()); ++number) {
      const Datum truth = rule_truth(rule(number), frame_);
      if (truth.kind == Kind::error) return fail("rule " + rule(number).id + ": " + *truth.text), false;
      if (truth.kind == Kind::unknown) {
        result_.maybe.push_back(number);
        add_names(names_, truth);
      } else if (truth.boolean) {
        result_.yes.push_back(number);
        if (decision_.policy == HitPolicy::first) break;
      }
    }
    return true;
  }

  void fail(const std::string& message) {
    result_.status = Status::failed;
    result_.output = heap().error(message);
  }

  void undetermined() {
    result_.status = Status::undetermined;
    result_.output = heap().unknown(names_);
  }

  // Takes an output that may itself be unknown or failed.
  void settle(const Datum& output) {
    if (output.kind == Kind::error) return fail(decision_.id + ": " + *output.text);
    if (output.kind == Kind::unknown) {
      add_names(names_, output);
      return undetermined();
    }
    result_.status = Status::decided;
    result_.output = output;
  }

  Datum output_of(int number) { return evaluate(rule(number).then.whole, frame_); }

  void no_rule() {
    if (decision_.otherwise) return settle(evaluate(decision_.otherwise->whole, frame_));
    result_.status = Status::no_hit;
  }

  // The certain result stands if no rule that may apply would change it.
  void unless_changed() {
    for (const int number : result_.maybe) {
      const Datum output = output_of(number);
      add_names(names_, output);
      const bool same = result_.status == Status::decided && output.known() && equal(output, result_.output);
      if (result_.status != Status::failed && !same) return gather_outputs();
    }
  }

  // Undetermined: facts that the outputs in question need would decide too.
  void gather_outputs() {
    for (const int number : result_.maybe) add_names(names_, output_of(number));
    undetermined();
  }

  void first() {
    if (result_.yes.empty()) {
      no_rule();
    } else {
      settle(output_of(result_.yes[0]));
    }
    unless_changed();
  }

  std::string pair(int one, int other) const {
    return "rules " + rule(one).id + " (" + to_string(rule(one).where) + ") and " + rule(other).id + " (" + to_string(rule(other).where) + ") both apply";
  }

  void unique() {
    if (result_.yes.size() > 1) return fail(decision_.id + ": hit policy unique, but " + pair(result_.yes[0], result_.yes[1]));
    if (!result_.yes.empty()) return settle(output_of(result_.yes[0]));  // a second one would break the policy
    no_rule();
    unless_changed();
  }

  void any() {
    if (result_.yes.empty()) {
      no_rule();
      return unless_changed();
    }
    const Datum output = output_of(result_.yes[0]);
    for (const int number : result_.yes) {
      const Datum other = output_of(number);
      if (output.known() && other.known() && !equal(output, other)) {
        return fail(decision_.id + ": hit policy any, but " + pair(result_.yes[0], number) + " with different outputs");
      }
    }
    settle(output);
  }

  // Place of an output among the priorities, less is more important; outputs that are not listed come last.
  std::vector<std::size_t> rank(int number) {
    const Datum output = output_of(number);
    std::vector<std::size_t> ranks;
    for (const auto& [name, values] : decision_.priorities) {
      const Datum* value = name.empty() ? &output : output.kind == Kind::map ? find(*output.map, name) : nullptr;
      std::size_t place = values.size();
      for (std::size_t at = values.size(); value && value->known() && at-- > 0;) {
        Heap scratch;
        if (equal(*value, to_datum(values[at], scratch, true))) place = at;
      }
      ranks.push_back(place);
    }
    return ranks;
  }

  void sort_by_rank(std::vector<int>& numbers) {
    std::stable_sort(numbers.begin(), numbers.end(), [&](int one, int other) { return rank(one) < rank(other); });
  }

  void priority() {
    sort_by_rank(result_.yes);
    if (result_.yes.empty()) {
      no_rule();
      return unless_changed();
    }
    settle(output_of(result_.yes[0]));
    const int best = result_.yes[0];
    std::erase_if(result_.maybe, [&](int number) { return !(rank(number) < rank(best)) && output_of(number).known(); });
    unless_changed();
  }

  void list() {
    if (!result_.maybe.empty()) return gather_outputs();
    List outputs;
    Datum blocked;
    for (const int number : result_.yes) {
      outputs.push_back(output_of(number));
      if (!outputs.back().known()) blocked = merge(blocked, outputs.back(), heap());
    }
    if (outputs.empty() && decision_.otherwise) return no_rule();
    settle(blocked.known() ? heap().list(std::move(outputs)) : blocked);
  }

  void count() {
    if (!result_.maybe.empty()) return undetermined();
    settle(Datum(static_cast<double>(result_.yes.size())));
  }

  // The number outputs of rules; false where one is none, with the result settled.
  bool numbers(const std::vector<int>& rules, std::vector<double>& values) {
    for (const int number : rules) {
      const Datum output = output_of(number);
      if (!output.known()) return settle(output), false;
      if (!output.is_number()) return fail(decision_.id + ": rule " + rule(number).id + ": " + describe(output) + " is no number"), false;
      values.push_back(output.number());
    }
    return true;
  }

  void sum() {
    std::vector<double> certain, open;
    if (!numbers(result_.yes, certain) || !numbers(result_.maybe, open)) return;
    if (std::any_of(open.begin(), open.end(), [](double value) { return value != 0; })) return undetermined();
    if (certain.empty() && decision_.otherwise) return no_rule();
    double total = 0;
    for (const double value : certain) total += value;
    settle(Datum(total));
  }

  void extreme() {
    std::vector<double> certain, open;
    if (!numbers(result_.yes, certain) || !numbers(result_.maybe, open)) return;
    if (certain.empty()) {
      no_rule();
      return unless_changed();
    }
    const bool least = decision_.policy == HitPolicy::collect_min;
    const double best = least ? *std::min_element(certain.begin(), certain.end()) : *std::max_element(certain.begin(), certain.end());
    const bool matters = std::any_of(open.begin(), open.end(), [&](double value) { return least ? value < best : value > best; });
    if (matters) return undetermined();
    settle(Datum(best));
  }

  const DecisionData& decision_;
  Frame& frame_;
  Result& result_;
  Names names_;
};

}  // namespace

void apply(const DecisionData& decision, Frame& frame, Result& result) { Table(decision, frame, result).run(); }

}  // namespace steelyard::rules
