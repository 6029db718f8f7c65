#include "rules/tables/apply.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace steelyard::rules {

Datum rule_truth(const RuleData& rule, Frame& frame) {
  if (rule.condition) {
    const Datum truth = test_terms(rule.terms, rule.condition->expr, frame);
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
    result_.why_open.clear();
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
        result_.why_open.push_back(truth);
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

  bool is_result(const Datum& output) const { return result_.status == Status::decided && output.known() && equal(output, result_.output); }

  // The certain result stands unless an open rule could change it; only the facts of such rules are asked for. `matters` gets places in `maybe`.
  template <class Matters>
  void unless(Matters matters) {
    if (result_.status == Status::failed) return;
    bool open = false;
    for (std::size_t at = 0; at < result_.maybe.size(); ++at) {
      if (!matters(at)) continue;
      open = true;
      add_names(names_, result_.why_open[at]);
      add_names(names_, output_of(result_.maybe[at]));
    }
    if (open) undetermined();
  }

  void unless_changed() {
    unless([&](std::size_t at) { return !is_result(output_of(result_.maybe[at])); });
  }

  // Where the open rules come before the certain one, those at the end that would give the same anyway do not matter; one that differs makes all
  // before it matter.
  void unless_overtaken() {
    if (result_.maybe.empty()) return;
    std::size_t count = result_.maybe.size();
    while (count > 0 && is_result(output_of(result_.maybe[count - 1]))) --count;
    unless([&](std::size_t at) { return at < count; });
  }

  void first() {
    if (result_.yes.empty()) {
      no_rule();
    } else {
      settle(output_of(result_.yes[0]));
    }
    unless_overtaken();
  }

  std::string pair(int one, int other) const {
    return "rules " + rule(one).id + " (" + to_string(rule(one).where) + ") and " + rule(other).id + " (" + to_string(rule(other).where) +
           ") both apply";
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

  // Outputs of equal rank keep the order of their rules.
  bool before(int one, int other) { return std::pair(rank(one), one) < std::pair(rank(other), other); }

  void sort_by_rank(std::vector<int>& numbers) {
    std::sort(numbers.begin(), numbers.end(), [&](int one, int other) { return before(one, other); });
  }

  // FIRST in the order of the ranks.
  void priority() {
    sort_by_rank(result_.yes);
    sort_open_by_rank();
    if (!result_.yes.empty()) drop_open_behind(result_.yes[0]);
    first();
  }

  void sort_open_by_rank() {
    std::vector<std::pair<int, Datum>> open;
    for (std::size_t at = 0; at < result_.maybe.size(); ++at) open.emplace_back(result_.maybe[at], result_.why_open[at]);
    std::sort(open.begin(), open.end(), [&](const auto& one, const auto& other) { return before(one.first, other.first); });
    for (std::size_t at = 0; at < open.size(); ++at) std::tie(result_.maybe[at], result_.why_open[at]) = open[at];
  }

  // Behind the best certain rule only an output that is not known may still come out on top.
  void drop_open_behind(int best) {
    std::size_t kept = 0;
    for (std::size_t at = 0; at < result_.maybe.size(); ++at) {
      const int number = result_.maybe[at];
      if (before(best, number) && output_of(number).known()) continue;
      result_.maybe[kept] = number;
      result_.why_open[kept++] = result_.why_open[at];
    }
    result_.maybe.resize(kept);
    result_.why_open.resize(kept);
  }

  static constexpr auto always = [](std::size_t) { return true; };

  void list() {
    List outputs;
    outputs.reserve(result_.yes.size());
    Datum blocked;
    for (const int number : result_.yes) {
      outputs.push_back(output_of(number));
      if (!outputs.back().known()) blocked = merge(blocked, outputs.back(), heap());
    }
    if (outputs.empty() && decision_.otherwise) {
      no_rule();
    } else {
      settle(blocked.known() ? heap().list(std::move(outputs)) : blocked);
    }
    unless(always);
  }

  void count() {
    settle(Datum(static_cast<double>(result_.yes.size())));
    unless(always);
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

  // Without a certain rule the default (or 0) stands for none at all, so that an open rule also changes the sum by taking its place.
  void sum() {
    std::vector<double> certain, open;
    if (!numbers(result_.yes, certain) || !numbers(result_.maybe, open)) return;
    double total = 0;
    for (const double value : certain) total += value;
    if (certain.empty() && decision_.otherwise) {
      no_rule();
    } else {
      settle(Datum(total));
    }
    const bool alone = open.size() == 1 && certain.empty();
    unless([&](std::size_t at) { return (open[at] != 0 && !alone) || (certain.empty() && !is_result(Datum(open[at]))); });
  }

  // An open rule matters where it would beat all certain ones; where there is none, also where it would take the place of the default.
  void extreme() {
    std::vector<double> certain, open;
    if (!numbers(result_.yes, certain) || !numbers(result_.maybe, open)) return;
    const auto beats = [&](double one, double other) { return decision_.policy == HitPolicy::collect_min ? one < other : one > other; };
    if (certain.empty()) {
      no_rule();
      return unless([&](std::size_t at) {
        return !is_result(Datum(open[at])) || std::any_of(open.begin(), open.end(), [&](double other) { return beats(open[at], other); });
      });
    }
    const double best = *std::min_element(certain.begin(), certain.end(), beats);
    settle(Datum(best));
    unless([&](std::size_t at) { return beats(open[at], best); });
  }

  const DecisionData& decision_;
  Frame& frame_;
  Result& result_;
  Names names_;
};

}  // namespace

void apply(const DecisionData& decision, Frame& frame, Result& result) { Table(decision, frame, result).run(); }

}  // namespace steelyard::rules
