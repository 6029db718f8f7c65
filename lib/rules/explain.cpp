// The full outcome: sentences, inputs, near misses.
#include <algorithm>

#include "rules/session_state.hpp"

namespace steelyard::rules {

namespace {

class Explainer {
 public:
  Explainer(Session::State& state, const DecisionData& decision)
      : state_(state), decision_(decision), result_(state.results[static_cast<std::size_t>(decision.slot - state.data().first_decision())]) {}

  Outcome run() {
    outcome_.decision = decision_.id;
    outcome_.step = decision_.step;
    outcome_.policy = std::string(policy_name(decision_.policy));
    outcome_.where = decision_.where;
    outcome_.status = result_.status;
    const Datum& output = state_.load(decision_.slot);
    outcome_.output = to_value(output);
    if (output.kind == Kind::error) outcome_.error = *output.text;
    if (output.kind == Kind::unknown) {
      for (const int name : *output.names) outcome_.unknown.push_back(state_.data().name_of(name));
    }
    read_inputs();
    if (result_.status != Status::failed) {
      for (const int number : result_.yes) outcome_.hits.push_back(hit(decision_.rules[static_cast<std::size_t>(number)]));
    }
    if (decision_.policy != HitPolicy::expression) find_near();
    return std::move(outcome_);
  }

 private:
  void read_inputs() {
    outcome_.inputs = Value::map();
    for (const InputData& input : decision_.inputs) add_input(input.name, input.slot);
    if (!decision_.inputs.empty()) return;
    for (const int slot : decision_.needs) add_input(state_.data().name_of(slot), slot);
  }

  void add_input(const std::string& name, int slot) { outcome_.inputs.as_map().emplace_back(name, to_value(state_.load(slot))); }

  Hit hit(const RuleData& rule) {
    Hit hit;
    hit.rule = rule.id;
    hit.where = rule.where;
    hit.because = fill(rule.because, state_);
    hit.inputs = outcome_.inputs;
    hit.output = to_value(evaluate(rule.then.whole, state_));
    return hit;
  }

  // Rules that do not apply, with the conditions that stand against them.
  void find_near() {
    std::vector<std::pair<double, NearMiss>> misses;
    for (int number = 0; number < static_cast<int>(decision_.rules.size()); ++number) {
      const RuleData& rule = decision_.rules[static_cast<std::size_t>(number)];
      const bool hit = std::find(result_.yes.begin(), result_.yes.end(), number) != result_.yes.end();
      if (hit) continue;
      NearMiss miss{rule.id, rule.where, {}, {}};
      double distance = 0;
      if (rule.condition) {
        failed_condition(*rule.condition, miss);
      } else {
        distance = failed_cells(rule, miss);
      }
      if (miss.failed.empty()) continue;
      misses.emplace_back(distance, std::move(miss));
    }
    std::stable_sort(misses.begin(), misses.end(), [](const auto& one, const auto& other) {
      return std::pair(one.second.failed.size(), one.first) < std::pair(other.second.failed.size(), other.first);
    });
    constexpr std::size_t most = 3;
    for (auto& [distance, miss] : misses) {
      if (outcome_.near.size() == most) break;
      const auto rule = std::find_if(decision_.rules.begin(), decision_.rules.end(), [&](const RuleData& one) { return one.id == miss.rule; });
      miss.output = to_value(evaluate(rule->then.whole, state_));
      outcome_.near.push_back(std::move(miss));
    }
  }

  void failed_condition(const Expression& condition, NearMiss& miss) {
    const Datum truth = evaluate(condition.expr, state_);
    if (truth.kind == Kind::boolean && truth.boolean) return;
    miss.failed.push_back({{}, condition.text, to_value(truth), std::nullopt});
  }

  // Sum of the relative distances, so that GiB and Gbit/s weigh alike.
  double failed_cells(const RuleData& rule, NearMiss& miss) {
    double total = 0;
    for (std::size_t at = 0; at < rule.cells.size(); ++at) {
      const Cell& cell = rule.cells[at];
      const Datum input = state_.load(decision_.inputs[at].slot);
      const Datum truth = test_cell(cell, input, state_);
      if (truth.kind == Kind::boolean && truth.boolean) continue;
      const auto gap = distance(cell, input, state_);
      miss.failed.push_back({decision_.inputs[at].name, cell.text, to_value(input), gap});
      total += gap && input.is_number() ? *gap / std::max(std::abs(input.number()), *gap) : 1;
    }
    return total;
  }

  Session::State& state_;
  const DecisionData& decision_;
  const Result& result_;
  Outcome outcome_;
};

}  // namespace

Outcome explain(Session::State& state, const DecisionData& decision) { return Explainer(state, decision).run(); }

}  // namespace steelyard::rules
