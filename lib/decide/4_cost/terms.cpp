#include "decide/4_cost/terms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimate/memory/job.hpp"

namespace steelyard::decide {

namespace {

constexpr double gib = 1073741824.0;
constexpr double hours_of_month = 8760.0 / 12;

// Serving and labelling answer request by request: a new machine goes on with the next one.
bool keeps_state(const std::string& task) { return estimate::trains(task) || task == "hpc"; }

std::optional<double> checkpoint_s(const Workload& workload, const MemoryEstimate& memory) {
  if (!keeps_state(workload.task)) return 0.0;
  const auto size = workload.checkpoint.gib ? workload.checkpoint.gib : memory.checkpoint_gib;
  if (!size || !workload.checkpoint.gb_per_s) return std::nullopt;
  return *size * gib / (*workload.checkpoint.gb_per_s * 1e9);
}

// Hours that are paid for.
double billed_h(const PriceTerms& terms, double elapsed_h) {
  double billed = elapsed_h;
  if (terms.billing_increment_s) {
    const double increments = elapsed_h * 3600 / *terms.billing_increment_s;
    // A time that was computed is never the exact multiple: a millionth of an increment begins none.
    billed = std::ceil(increments - 1e-6) * *terms.billing_increment_s / 3600;
  }
  return std::max({billed, terms.minimum_h.value_or(0), terms.commitment_h.value_or(0)});
}

void add_interruptions(const PriceTerms& terms, int nodes, double hours, const JobTerms& job, WorkCost& cost) {
  CostParts& parts = cost.parts;
  if (!terms.interruptions_per_h) return;
  // One node taken back stops the whole job.
  const auto interrupted = with_interruptions(hours, *terms.interruptions_per_h * nodes, job.recovery);
  if (!interrupted) {
    cost.interruptions_open = true;
    if (!job.recovery.starts_over && !job.recovery.checkpoint_s) parts.not_counted.push_back("interruptions: workload.checkpoint.gb_per_s");
    if (!job.recovery.restart_s) parts.not_counted.push_back("interruptions: workload.checkpoint.restart_s");
    return;
  }
  const double slowdown = hours > 0 ? interrupted->elapsed_h / hours : 1;
  parts.elapsed_h = job.hours_are_rented ? hours : interrupted->elapsed_h;
  parts.running_h = job.hours_are_rented ? hours / slowdown : hours;
  parts.interruptions = *terms.interruptions_per_h * nodes * parts.elapsed_h;
  parts.checkpoint_every_s = interrupted->checkpoint_every_s;
}

void add_storage(const PriceTerms& terms, const JobTerms& job, CostParts& parts) {
  if (!terms.storage_per_gib_month) return;
  if (!terms.storage_gib && !job.storage_gib) return parts.not_counted.push_back("storage: workload.data.storage_gib");
  const double held = std::max(terms.storage_gib.value_or(0), job.storage_gib.value_or(0));
  parts.storage = held * *terms.storage_per_gib_month * parts.elapsed_h / hours_of_month;
}

void add_egress(const PriceTerms& terms, const JobTerms& job, CostParts& parts) {
  if (!terms.egress_per_gib) return;
  if (!job.egress_gib) return parts.not_counted.push_back("egress: workload.data.egress_gib");
  parts.egress = *job.egress_gib * *terms.egress_per_gib;
}

}  // namespace

JobTerms job_terms(const Workload& workload, const MemoryEstimate& memory) {
  JobTerms job;
  job.storage_gib = workload.data.storage_gib;
  job.egress_gib = workload.data.egress_gib;
  job.recovery = {checkpoint_s(workload, memory), workload.checkpoint.restart_s, !workload.constraints.resumable.value_or(true)};
  job.hours_are_rented = workload.work.hours.has_value();
  return job;
}

WorkCost work_cost(const Price& price, int gpus_per_node, int nodes, double hours, const JobTerms& job) {
  WorkCost cost;
  CostParts& parts = cost.parts;
  parts.currency = price.currency;
  parts.running_h = parts.elapsed_h = parts.billed_h = hours;
  const double units = units_of(price, gpus_per_node, nodes);
  if (price.terms) {
    const PriceTerms& terms = *price.terms;
    add_interruptions(terms, nodes, hours, job, cost);
    parts.billed_h = billed_h(terms, parts.elapsed_h);
    add_storage(terms, job, parts);
    add_egress(terms, job, parts);
    cost.fixed = parts.storage + parts.egress;
  }
  const double hourly = paid_amount(price) * units;
  parts.compute = hourly * parts.running_h;
  parts.interruption = hourly * (parts.elapsed_h - parts.running_h);
  parts.unused = hourly * (parts.billed_h - parts.elapsed_h);
  cost.per_amount = units * paid_share(price) * parts.billed_h;
  return cost;
}

std::optional<double> break_even_h(const Price& spot, const Price& on_demand, int gpus_per_node, int nodes, double hours, const JobTerms& job) {
  const auto total = [&](const Price& price) {
    const WorkCost cost = work_cost(price, gpus_per_node, nodes, hours, job);
    // Rented hours that are lost have to be rented again.
    return cost.total(paid_amount(price) * units_of(price, gpus_per_node, nodes), cost.fixed) * hours / cost.parts.running_h;
  };
  PriceTerms terms = spot.terms ? *spot.terms : PriceTerms();
  const auto spot_at = [&](double mean_h) {
    terms.interruptions_per_h = 1 / mean_h / nodes;
    Price price = spot;
    price.terms = std::make_shared<const PriceTerms>(terms);
    return total(price);
  };
  constexpr double longest_h = 1e7, shortest_h = 1e-3;
  const double limit = total(on_demand);
  if (spot_at(longest_h) >= limit) return std::numeric_limits<double>::infinity();
  if (!job.recovery.known()) return std::nullopt;
  if (spot_at(shortest_h) < limit) return 0.0;
  double dearer = shortest_h, cheaper = longest_h;
  while (cheaper > dearer * 1.001) {
    const double middle = std::sqrt(dearer * cheaper);
    (spot_at(middle) < limit ? cheaper : dearer) = middle;
  }
  return cheaper;
}

}  // namespace steelyard::decide
