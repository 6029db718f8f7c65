// The four steps for one workload: once per kind of machine, then once per price.
#pragma once

#include <memory>
#include <optional>
#include <steelyard/catalog.hpp>
#include <steelyard/decision.hpp>
#include <string>
#include <vector>

#include "decide/4_cost/facts.hpp"
#include "decide/job.hpp"
#include "decide/model.hpp"
#include "decide/steps.hpp"
#include "rules/rules.hpp"
#include "rules/session_pool.hpp"

namespace steelyard::decide {

/// A workload on one kind of machine, decided as far as prices do not matter; `priced` adds step 4 for a price.
class MachineDecision {
 public:
  MachineDecision(const Job& job, const Configuration& configuration, Detail detail, const SharedModel* shared = nullptr);
  MachineDecision(const MachineDecision&) = delete;  // its parts know each other
  MachineDecision& operator=(const MachineDecision&) = delete;

  /// The whole answer for this machine at the price of `configuration` (which differs from the machine in nothing but the price).
  Estimate priced(const Configuration& configuration, const PriceContext& context = {});
  /// Only what an order of accepted offers goes by: speed, time, preference and costs.
  Estimate figures(const Configuration& configuration);

  /// Does step 4 accept this price for certain? No means that only `priced` can tell.
  bool certainly_accepts(const Configuration& configuration, const PriceContext& context = {});

  const Modelled& modelled() const { return *modelled_; }
  const Estimate& base() const { return base_; }

 private:
  void run_steps(const SharedModel* shared);
  void complete();
  const Modelled* own_model(const SharedModel* shared);
  void name_kind();
  void name_plan();
  void ask_about_names();
  void name_measured();
  std::optional<WorkCost> cost_of(const Configuration& configuration) const;
  void set_price(const Configuration& configuration, const WorkCost* cost, const PriceContext& context);
  void read_costs(const Configuration& configuration, const WorkCost* cost, Estimate& estimate);
  void read_totals(const Configuration& configuration, const WorkCost* cost, Estimate& estimate);
  void ask_about_interruptions(const Configuration& configuration, const WorkCost* cost, Estimate& estimate);

  const Job& job_;
  Configuration configuration_;
  Detail detail_;
  rules::SessionPool::Lent session_;  // given back where a bulk run found a reason against the machine: its price is never asked for
  std::optional<Modelled> own_;       // where nothing is shared, or speeds were measured with this very job
  const Modelled* modelled_;
  JobTerms terms_;
  TermFacts term_facts_;
  Estimate base_;
  bool complete_ = true;  // false: `base_` holds what decides, and not yet all that is said of an accepted machine
};

/// All steps at once; with Detail::trace also what more nodes would bring.
Estimate estimate(const Workload& workload, const Configuration& configuration, const ExchangeRates& rates, const rules::Book& book, Detail detail,
                  const MeasuredBoards* measured = nullptr, const PriceContext& context = {});

/// Hours for the whole work; empty where the work or the speed is not known.
std::optional<double> work_hours(const Workload& workload, const Plan& plan, const TimeEstimate& time);

}  // namespace steelyard::decide
