// The full outcome: sentences, inputs, near misses. Outcomes are written in place, so that a session that goes over many rows allocates little.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "rules/session_state.hpp"

namespace steelyard::rules {

namespace {

class Explainer {
 public:
  Explainer(Session::State& state, const DecisionData& decision, Outcome& outcome)
      : state_(state),
        decision_(decision),
        result_(state.results[static_cast<std::size_t>(decision.slot - state.data().first_decision())]),
        outcome_(outcome) {}

  void run(bool brief) {
    outcome_.decision = decision_.id;
    outcome_.step = decision_.step;
    outcome_.policy = policy_name(decision_.policy);
    outcome_.where = decision_.where;
    outcome_.status = result_.status;
    const Datum output = state_.load(decision_.slot);
    write_value(outcome_.output, output);
    outcome_.error.clear();
    if (output.kind == Kind::error) outcome_.error = *output.text;
    outcome_.unknown.clear();
    if (output.kind == Kind::unknown) {
      for (const int name : *output.names) outcome_.unknown.push_back(state_.data().name_of(name));
    }
    if (brief) {
      outcome_.inputs = Value();
    } else {
      read_inputs();
    }
    write_hits();
    if (brief || decision_.policy == HitPolicy::expression) {
      outcome_.near.clear();
    } else {
      find_near();
    }
  }

 private:
  // Texts and maps keep their memory where the kind stays the same.
  static void write_value(Value& value, const Datum& datum) { value = to_value(datum); }

  void write_output(Value& value, const RuleData& rule) {
    if (rule.then.whole.op == Op::literal) {
      value = rule.then.constant;
    } else {
      write_value(value, evaluate(rule.then.whole, state_));
    }
  }

  void read_inputs() {
    if (!outcome_.inputs.is_map()) outcome_.inputs = Value::map();
    auto& entries = outcome_.inputs.as_map();
    const bool named = !decision_.inputs.empty();
    entries.resize(named ? decision_.inputs.size() : decision_.needs.size());
    for (std::size_t at = 0; at < entries.size(); ++at) {
      entries[at].first = named ? decision_.inputs[at].name : state_.data().name_of(decision_.needs[at]);
      write_value(entries[at].second, state_.load(named ? decision_.inputs[at].slot : decision_.needs[at]));
    }
  }

  void write_hits() {
    outcome_.hits.resize(result_.status == Status::failed ? 0 : result_.yes.size());
    for (std::size_t at = 0; at < outcome_.hits.size(); ++at) {
      const RuleData& rule = decision_.rules[static_cast<std::size_t>(result_.yes[at])];
      Hit& hit = outcome_.hits[at];
      hit.rule = rule.id;
      hit.where = rule.where;
      fill(rule.because, state_, hit.because);
      hit.inputs = outcome_.inputs;
      write_output(hit.output, rule);
    }
  }

  struct Candidate {
    std::size_t failed = 0;
    double distance = 0;
    const RuleData* rule = nullptr;
  };

  // Rules that do not apply, with the conditions that stand against them; only the nearest are written out.
  void find_near() {
    auto& candidates = candidates_;
    for (int number = 0; number < static_cast<int>(decision_.rules.size()); ++number) {
      if (std::find(result_.yes.begin(), result_.yes.end(), number) != result_.yes.end()) continue;
      const Candidate candidate = measure(decision_.rules[static_cast<std::size_t>(number)]);
      if (candidate.failed > 0) candidates.push_back(candidate);
    }
    constexpr std::size_t most = 3;
    const auto nearer = [](const Candidate& one, const Candidate& other) {
      return std::tuple(one.failed, one.distance, one.rule) < std::tuple(other.failed, other.distance, other.rule);
    };
    const std::size_t kept = std::min(most, candidates.size());
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept), candidates.end(), nearer);
    outcome_.near.resize(kept);
    for (std::size_t at = 0; at < kept; ++at) write(*candidates[at].rule, outcome_.near[at]);
  }

  // How many conditions fail, and the sum of their relative distances, so that GiB and Gbit/s weigh alike.
  Candidate measure(const RuleData& rule) {
    Candidate candidate{0, 0, &rule};
    if (rule.condition) {
      candidate.failed = holds(evaluate(rule.condition->expr, state_)) ? 0 : 1;
      return candidate;
    }
    for (const QuickCell& cell : rule.quick) {
      const Datum& input = state_.load(cell.slot);
      if (holds(test_quick(cell, input, state_))) continue;
      ++candidate.failed;
      const auto gap = quick_distance(cell, input);
      candidate.distance += gap ? *gap / std::max(std::abs(input.number()), *gap) : 1;
    }
    return candidate;
  }

  std::optional<double> quick_distance(const QuickCell& cell, const Datum& input) {
    if (!input.is_number()) return std::nullopt;
    if (cell.form != QuickCell::Form::range) return distance(*cell.cell, input, state_);
    return std::max(cell.least - input.number(), input.number() - cell.most);
  }

  static bool holds(const Datum& truth) { return truth.kind == Kind::boolean && truth.boolean; }

  void write(const RuleData& rule, NearMiss& miss) {
    miss.rule = rule.id;
    miss.where = rule.where;
    write_output(miss.output, rule);
    std::size_t count = 0;
    const auto next = [&]() -> FailedCell& {
      if (miss.failed.size() == count) miss.failed.emplace_back();
      return miss.failed[count++];
    };
    if (rule.condition) {
      FailedCell& failed = next();
      failed.input.clear();
      failed.cell = rule.condition->text;
      write_value(failed.actual, evaluate(rule.condition->expr, state_));
      failed.gap.reset();
    }
    for (const QuickCell& cell : rule.quick) {
      const Datum& input = state_.load(cell.slot);
      if (holds(test_quick(cell, input, state_))) continue;
      FailedCell& failed = next();
      failed.input = decision_.inputs[static_cast<std::size_t>(cell.cell - rule.cells.data())].name;
      failed.cell = cell.cell->text;
      write_value(failed.actual, input);
      failed.gap = distance(*cell.cell, input, state_);
    }
    miss.failed.resize(count);
  }

  Session::State& state_;
  const DecisionData& decision_;
  const Result& result_;
  Outcome& outcome_;
  std::vector<Candidate> candidates_;
};

}  // namespace

void explain(Session::State& state, const DecisionData& decision, Outcome& outcome, bool brief) { Explainer(state, decision, outcome).run(brief); }

}  // namespace steelyard::rules
