// The facts of step 4 that come from the terms of a price: data/schema/facts/terms.yaml.
#pragma once

#include <steelyard/money.hpp>

#include "decide/4_cost/terms.hpp"
#include "rules/rules.hpp"

namespace steelyard::decide {

/// What may be known beside the price itself. Bulk runs leave `on_demand` out.
struct PriceContext {
  std::optional<Date> today;
  std::optional<Price> on_demand;  // of the same machine, where the price is one of spot
};

/// Sets the facts of one price and makes those unknown that an earlier price had set. `cost` is null where the work has no size.
class TermFacts {
 public:
  TermFacts(rules::Session& session, const ExchangeRates& rates)
      : session_(session), rates_(rates), age_days_(session.book().fact("price.age_days")) {}

  void set(const Configuration& configuration, const WorkCost* cost, const JobTerms& job, const PriceContext& context);

 private:
  void put(const char* name, std::optional<double> figure);
  void put(std::optional<rules::FactId> fact, std::optional<double> figure);
  void put_money(const char* fact, const WorkCost& cost, double amount);
  void put_parts(const PriceTerms& terms, const WorkCost& cost);
  void put_on_demand(const Configuration& configuration, const WorkCost& cost, const JobTerms& job, const Price& on_demand);

  rules::Session& session_;
  const ExchangeRates& rates_;
  std::optional<rules::FactId> age_days_;  // of nearly every price
  std::vector<rules::FactId> set_;
};

}  // namespace steelyard::decide
