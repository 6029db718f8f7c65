// Decisions -> steps.
#include "rules/columns/planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rules/tables/apply.hpp"

namespace steelyard::rules {

void make_program(const Rows& rows, const std::vector<DecisionId>& wanted, Program& program) { Planner(rows, program).run(wanted); }

void Planner::run(const std::vector<DecisionId>& wanted) {
  std::vector<bool> needed(book_.decisions.size());
  for (const DecisionId id : wanted) needed[static_cast<std::size_t>(id.index)] = true;
  for (auto at = book_.order.rbegin(); at != book_.order.rend(); ++at) {  // what a needed one needs stands before it
    if (!needed[static_cast<std::size_t>(*at)]) continue;
    for (const int slot : book_.decisions[static_cast<std::size_t>(*at)].needs) {
      if (book_.is_decision(slot)) needed[static_cast<std::size_t>(slot - book_.first_decision())] = true;
    }
  }
  program_.plan_of.assign(book_.decisions.size(), -1);
  for (const int index : book_.order) {
    if (needed[static_cast<std::size_t>(index)]) plan(index);
  }
  for (const DecisionId id : wanted) {
    const int place = program_.plan_of[static_cast<std::size_t>(id.index)];
    program_.decisions[static_cast<std::size_t>(place)].wanted = static_cast<int>(program_.wanted.size());
    program_.wanted.push_back(place);
  }
}

void Planner::plan(int decision) {
  const DecisionData& data = book_.decisions[static_cast<std::size_t>(decision)];
  DecisionPlan plan;
  plan.decision = decision;
  plan.compiled = data.policy == HitPolicy::expression ? plan_expression(data, plan) : plan_table(data, plan);
  if (!plan.compiled) {
    plan_by_rows(data, plan);  // steps made on the way stay: later decisions may share them
  } else if (plan.pending != no_rows) {
    Step step;
    step.op = Step::Op::repair;
    step.decision = static_cast<int>(program_.decisions.size());
    program_.steps.push_back(step);
  }
  program_.plan_of[static_cast<std::size_t>(decision)] = static_cast<int>(program_.decisions.size());
  program_.decisions.push_back(std::move(plan));
}

bool Planner::plan_expression(const DecisionData& decision, DecisionPlan& plan) {
  Lane lane = lower(decision.rules[0].then.whole);
  switch (lane.form) {
    case Lane::Form::constant:
      if (!lane.constant.known()) return false;
      break;
    case Lane::Form::flag:
      plan.pending = lane.maybe;
      lane = choose({inverse(either(lane.yes, lane.maybe)), lane.yes}, {Datum(false), Datum(true)});
      if (plan.pending == no_rows) lane.values.pop_back();
      break;
    case Lane::Form::code: {
      plan.pending = masks_of(lane, [](const Datum& value) { return !value.known(); });
      if (plan.pending == no_rows) break;
      return false;  // an unknown result has no code of its own
    }
    case Lane::Form::number:
      lane = as_number(lane);
      if (lane.odd != no_rows) {
        plan.pending = lane.odd;
        own(lane);
      }
      break;
    default: return false;
  }
  plan.lane = lane;
  return true;
}

Lane Planner::range_truth(const Cell& cell, const Lane& input) {
  Lane truth;
  truth.form = Lane::Form::flag;
  for (const Test& test : cell.tests) {
    double least = -infinite, most = infinite;
    if (test.form == Test::Form::range) {
      if (!test.constant_range) return {};
      if (test.has_low) least = test.low_open ? std::nextafter(test.least, infinite) : test.least;
      if (test.has_high) most = test.high_open ? std::nextafter(test.most, -infinite) : test.most;
    } else {
      if (test.low.op != Op::literal) return {};
      if (test.low.value.kind == Kind::null) {
        truth.yes = either(truth.yes, input.null);
        continue;
      }
      if (!test.low.value.is_number()) return {};
      least = most = test.low.value.number();
    }
    truth.yes = either(truth.yes, range_mask(input, least, most));
  }
  truth.maybe = input.odd;
  if (cell.negated) truth.yes = inverse(either(truth.yes, truth.maybe));
  return truth;
}

namespace {

// Cells whose ends are constants need no facts.
class CellFrame : public Frame {
 public:
  CellFrame() : Frame(0, ExprMode::book) {}

 protected:
  Datum compute(int) override { return heap().error("no fact"); }
};

bool is_constant(const Cell& cell) {
  bool constant = true;
  each_slot(cell, [&](int) { constant = false; });
  return constant;
}

}  // namespace

Lane Planner::cell_truth(const Cell& cell, int slot) {
  const Lane input = lane_of(slot);
  if (input.form == Lane::Form::number) return range_truth(cell, input);
  if (!is_constant(cell)) return {};
  CellFrame frame;
  const auto work = [&](const Datum& value) { return test_cell(cell, value, frame); };
  if (input.form == Lane::Form::code) return as_flag(map_codes(input, work));
  Lane lane;
  if (input.form != Lane::Form::constant) return lane;
  lane.form = Lane::Form::constant;
  lane.constant = copy(work(input.constant), program_.heap);
  return as_flag(lane);
}

Lane Planner::rule_truth(const DecisionData& decision, const RuleData& rule) {
  if (rule.condition) return as_flag(lower(rule.condition->expr));
  int yes = all_rows, possible = all_rows;
  for (std::size_t at = 0; at < rule.cells.size(); ++at) {
    if (rule.cells[at].any) continue;
    Lane truth = cell_truth(rule.cells[at], decision.inputs[at].slot);
    if (truth.form == Lane::Form::none) return truth;
    yes = both(yes, truth.yes);
    possible = both(possible, either(truth.yes, truth.maybe));
  }
  Lane lane;
  lane.form = Lane::Form::flag;
  lane.yes = yes;
  lane.maybe = except(possible, yes);
  return lane;
}

// Masks of the rows where each rule is the one that counts. Rows in which unknown rules or several rules meet are left to the scalar evaluator.
bool Planner::plan_table(const DecisionData& decision, DecisionPlan& plan) {
  const bool first = decision.policy == HitPolicy::first;
  if (!first && decision.policy != HitPolicy::unique && decision.policy != HitPolicy::any) return false;
  if (decision.rules.size() + special_codes > std::numeric_limits<Code>::max()) return false;
  std::vector<int> hits;
  int open = all_rows;  // rows that no rule has taken yet
  for (const RuleData& rule : decision.rules) {
    const Lane truth = rule_truth(decision, rule);
    if (truth.form == Lane::Form::none) return false;
    hits.push_back(both(truth.yes, open));
    plan.pending = either(plan.pending, first ? both(truth.maybe, open) : either(truth.maybe, except(truth.yes, open)));
    open = except(open, truth.yes);
  }
  return plan_outputs(decision, hits, open, plan);
}

bool Planner::plan_outputs(const DecisionData& decision, const std::vector<int>& hits, int open, DecisionPlan& plan) {
  std::vector<Lane> outputs;
  for (const RuleData& rule : decision.rules) outputs.push_back(lower(rule.then.whole));
  if (decision.otherwise) outputs.push_back(lower(decision.otherwise->whole));
  const bool constant = std::all_of(outputs.begin(), outputs.end(), [](const Lane& lane) { return lane.form == Lane::Form::constant; });
  const bool numeric =
      decision.type == Type::number && std::all_of(outputs.begin(), outputs.end(), [](const Lane& lane) { return lane.form != Lane::Form::none; });
  if (!constant && !numeric) return false;

  Step step;
  step.op = Step::Op::number_rows;
  step.masks = hits;
  step.code = static_cast<Code>(hits.size() + code_none);
  step.out = new_codes();
  program_.steps.push_back(step);
  plan.rule_codes = step.out;
  if (constant) {
    plan.lane.form = Lane::Form::code;
    plan.lane.codes = step.out;
    for (std::size_t at = 0; at < hits.size(); ++at) {  // an output that is not known
      if (!outputs[at].constant.known()) plan.pending = either(plan.pending, hits[at]);
    }
    if (decision.otherwise && !outputs.back().constant.known()) plan.pending = either(plan.pending, open);
    for (const Lane& lane : outputs) plan.lane.values.push_back(lane.constant);
    // Codes that cannot occur get no value: they would only make what follows test for them.
    if (!decision.otherwise && (open != no_rows || plan.pending != no_rows)) plan.lane.values.emplace_back();
    if (plan.pending != no_rows) {
      plan.lane.values.push_back(program_.heap.unknown({}));
      plan.lane.values.push_back(program_.heap.error("failed"));
    }
    return true;
  }
  std::vector<int> masks = hits;
  masks.push_back(open);
  Lane nothing;
  nothing.form = Lane::Form::constant;
  if (!decision.otherwise) outputs.push_back(nothing);
  plan.lane = blend(masks, outputs);
  if (plan.lane.form == Lane::Form::none) return false;
  plan.pending = either(plan.pending, plan.lane.odd);
  if (plan.pending != no_rows) own(plan.lane);
  return true;
}

// Registers that the repair of single rows may change.
void Planner::own(Lane& lane) {
  Step copy;
  copy.op = Step::Op::blend;
  copy.masks = {all_rows};
  copy.sources = {lane.number};
  copy.table = {0.0};
  lane.number = emit_number(copy);
  lane.odd = own_copy(lane.odd);
  lane.null = own_copy(lane.null);
}

// Every row by the scalar evaluator; its results still become a column where their kind is known.
void Planner::plan_by_rows(const DecisionData& decision, DecisionPlan& plan) {
  plan.pending = no_rows;
  Lane& lane = plan.lane;
  lane = {};
  if (decision.type == Type::number) {
    lane.form = Lane::Form::number;
    lane.number = new_number();
    lane.odd = new_mask();
    lane.null = new_mask();
  } else if (decision.type == Type::boolean || (decision.type == Type::text && !decision.words.empty())) {
    lane.form = Lane::Form::code;
    lane.codes = new_codes();
    if (decision.type == Type::boolean) lane.values = {Datum(false), Datum(true)};
    for (const std::string& word : decision.words) lane.values.push_back(program_.heap.text(word));
    lane.values.emplace_back();
    lane.values.push_back(program_.heap.error("open"));
  } else {
    lane.form = Lane::Form::mixed;
  }
  if (decision.policy != HitPolicy::expression) plan.rule_codes = new_codes();
  Step step;
  step.op = Step::Op::by_rows;
  step.decision = static_cast<int>(program_.decisions.size());
  program_.steps.push_back(step);
}

}  // namespace steelyard::rules
