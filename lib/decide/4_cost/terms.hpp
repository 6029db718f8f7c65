// What renting for a whole job costs under the terms of a price. A pure function: docs/reference/cost.md.
#pragma once

#include <steelyard/decision.hpp>

#include "decide/4_cost/interruption.hpp"

namespace steelyard::decide {

/// What the terms of a price need to know of a job.
struct JobTerms {
  std::optional<double> storage_gib, egress_gib;
  Recovery recovery;
  bool hours_are_rented = false;  // the work is stated in hours of renting: interruptions take from them, they do not add to them
};
JobTerms job_terms(const Workload& workload, const MemoryEstimate& memory);

/// What the discount of a commitment leaves of the amount.
inline double paid_share(const Price& price) { return price.terms ? 1 - price.terms->discount.value_or(0) : 1; }
inline double paid_amount(const Price& price) { return price.amount * paid_share(price); }
/// How many times an hour of the whole configuration takes it.
inline int units_of(const Price& price, int gpus_per_node, int nodes) { return price.per == "gpu_hour" ? gpus_per_node * nodes : nodes; }

/// For one number of hours and one set of terms the cost is linear in the amount of the price: `per_amount` x amount + `fixed`.
struct WorkCost {
  CostParts parts;
  double per_amount = 0;
  double fixed = 0;                 // storage and egress, in the price's currency
  bool interruptions_open = false;  // a rate of interruptions is stated, and what they cost can't be told

  /// `hourly`: what an hour of the whole configuration is paid.
  double total(double hourly, double fixed_part) const { return hourly * parts.billed_h + fixed_part; }
};
WorkCost work_cost(const Price& price, int gpus_per_node, int nodes, double hours, const JobTerms& job);

/// Hours between interruptions of the whole cluster from which on a spot machine costs less than the same one on demand. 0: always, even where
/// it is interrupted all the time; infinity: never; empty: hangs on facts of the job that are not stated. Prices in one currency.
std::optional<double> break_even_h(const Price& spot, const Price& on_demand, int gpus_per_node, int nodes, double hours, const JobTerms& job);

}  // namespace steelyard::decide
