#include "decide/4_cost/facts.hpp"

#include <cmath>

namespace steelyard::decide {

void TermFacts::put(const char* name, std::optional<double> figure) { put(session_.book().fact(name), figure); }

void TermFacts::put(std::optional<rules::FactId> fact, std::optional<double> figure) {
  if (!fact || !figure || !std::isfinite(*figure)) return;
  session_.set(*fact, *figure);
  set_.push_back(*fact);
}

void TermFacts::put_money(const char* name, const WorkCost& cost, double amount) {
  if (const auto usd = rates_.convert({amount, cost.parts.currency}, "USD")) put(name, usd->amount);
}

void TermFacts::put_parts(const PriceTerms& terms, const WorkCost& cost) {
  const CostParts& parts = cost.parts;
  put("price.running_h", parts.running_h);
  put("price.elapsed_h", parts.elapsed_h);
  put("price.billed_h", parts.billed_h);
  put_money("price.compute_usd", cost, parts.compute);
  put_money("price.unused_usd", cost, parts.unused);
  put_money("price.storage_usd", cost, parts.storage);
  put_money("price.egress_usd", cost, parts.egress);
  if (!terms.interruptions_per_h || cost.interruptions_open) return;
  put("price.interruptions", parts.interruptions);
  put("price.slowdown", parts.running_h > 0 ? parts.elapsed_h / parts.running_h : 1);
  put_money("price.interruption_usd", cost, parts.interruption);
}

void TermFacts::put_on_demand(const Configuration& configuration, const WorkCost& cost, const JobTerms& job, const Price& on_demand) {
  const Price& spot = *configuration.price;
  const int units = units_of(on_demand, configuration.gpus_per_node, configuration.nodes);
  put_money("price.on_demand_usd_per_hour", cost, paid_amount(on_demand) * units);
  const WorkCost steady = work_cost(on_demand, configuration.gpus_per_node, configuration.nodes, cost.parts.running_h, job);
  put_money("price.on_demand_total_usd", cost, steady.total(paid_amount(on_demand) * units, steady.fixed));
  const auto least = break_even_h(spot, on_demand, configuration.gpus_per_node, configuration.nodes, cost.parts.running_h, job);
  put("price.break_even_h", least);
}

void TermFacts::set(const Configuration& configuration, const WorkCost* cost, const JobTerms& job, const PriceContext& context) {
  for (const rules::FactId fact : set_) session_.set_unknown(fact);
  set_.clear();
  const Price& price = *configuration.price;
  if (context.today && price.date) put(age_days_, days_between(*price.date, *context.today));
  if (price.terms) {
    const PriceTerms& terms = *price.terms;
    put("price.billing_increment_s", terms.billing_increment_s);
    put("price.minimum_h", terms.minimum_h);
    put("price.commitment_h", terms.commitment_h);
    put("price.discount", terms.discount);
    put("price.storage_gib", terms.storage_gib);
    put("price.storage_per_gib_month", terms.storage_per_gib_month);
    put("price.egress_per_gib", terms.egress_per_gib);
    put("price.interruptions_per_h", terms.interruptions_per_h);
    if (cost) put_parts(terms, *cost);
  }
  const bool rate_stated = price.terms && price.terms->interruptions_per_h;
  if (cost && !rate_stated && context.on_demand && context.on_demand->currency == price.currency)
    put_on_demand(configuration, *cost, job, *context.on_demand);
}

}  // namespace steelyard::decide
