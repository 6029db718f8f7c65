// Makes programs: expressions and cells become steps. Internal to columns/.
#pragma once

#include <optional>
#include <set>

#include "rules/columns/plan.hpp"

namespace steelyard::rules {

class Planner {
 public:
  Planner(const Rows& rows, Program& program) : rows_(rows), book_(rows.book().data()), program_(program) {}
  void run(const std::vector<DecisionId>& wanted);

 private:
  // planner.cpp: decisions
  void plan(int decision);
  bool plan_table(const DecisionData& decision, DecisionPlan& plan);
  bool plan_expression(const DecisionData& decision, DecisionPlan& plan);
  bool plan_outputs(const DecisionData& decision, const std::vector<int>& hits, int open, DecisionPlan& plan);
  void plan_by_rows(const DecisionData& decision, DecisionPlan& plan);
  Lane rule_truth(const DecisionData& decision, const RuleData& rule);
  Lane cell_truth(const Cell& cell, int slot);
  Lane range_truth(const Cell& cell, const Lane& input);

  // lowering.cpp: expressions
  Lane lower(const Expr& expr);
  Lane lower_arithmetic(const Expr& expr);
  Lane lower_order(const Expr& expr);
  Lane lower_logic(const Expr& expr);
  Lane lower_conditional(const Expr& expr);
  Lane lower_extreme(const Expr& expr);
  Lane lane_of(int slot);
  Lane fact_lane(int slot);
  std::optional<Lane> by_codes(const Expr& expr);
  Lane map_codes(const Lane& input, const std::function<Datum(const Datum&)>& work);
  Lane as_number(const Lane& lane);
  Lane as_flag(const Lane& lane);
  Lane combine(Arithmetic op, const Lane& left, const Lane& right);
  Lane blend(const std::vector<int>& masks, const std::vector<Lane>& sources);
  int masks_of(const Lane& codes, const std::function<bool(const Datum&)>& test);
  Lane choose(const std::vector<int>& masks, std::vector<Datum> values);
  int constant_order(Op op, const Lane& number, double constant);
  int range_mask(const Lane& number, double least, double most);

  // steps.cpp: registers, folding of constant masks, reuse of equal steps
  int emit_mask(Step step);
  int emit_number(Step step);
  int both(int a, int b);
  int either(int a, int b);
  int except(int a, int b);
  int inverse(int a) { return except(all_rows, a); }
  int new_number() { return add(program_.numbers); }
  int new_codes() { return add(program_.codes); }
  int new_mask() { return add(program_.masks); }
  int own_copy(int mask);
  void own(Lane& lane);

  template <class Sources>
  static int add(Sources& sources) {
    sources.emplace_back();
    return static_cast<int>(sources.size()) - 1;
  }

  const Rows& rows_;
  const BookData& book_;
  Program& program_;
  std::map<int, Lane> lanes_;  // facts and computed inputs met so far
  std::map<std::tuple<int, int, int, double, double, int>, int> known_steps_;
};

constexpr double infinite = __builtin_inf();

}  // namespace steelyard::rules
