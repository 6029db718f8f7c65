// Forms of what stands beside the ranking: changes, choices, growth, sensitivity.
#include "report/forms.hpp"

namespace steelyard::report {

Value form(const WhatIf& what_if) {
  Value value;
  value["to"] = what_if.to;
  value["changes"] = Value::list();
  for (const WhatIf::Change& change : what_if.changes) {
    Value one;
    one["field"] = change.field;
    one["from"] = change.from;
    one["to"] = change.to;
    value["changes"].push_back(std::move(one));
  }
  value["verified"] = what_if.verified;
  return value;
}

namespace {

Value form_or_null(const std::optional<Money>& money) { return money ? form(*money) : Value(); }

}  // namespace

Value form(const Choice& choice) {
  Value value;
  value["role"] = choice.role;
  value["offer"] = choice.offer;
  value["gpus"] = choice.gpus;
  value["time_h"] = known(choice.time_h);
  value["cost"] = form_or_null(choice.cost);
  value["hourly"] = form_or_null(choice.hourly);
  if (choice.break_even_h) value["break_even_h"] = *choice.break_even_h;
  return value;
}

Value form(const GrowthStep& step) {
  Value value;
  value["offer"] = step.offer;
  value["gpus"] = step.gpus;
  value["speedup"] = known(step.speedup);
  value["cost_ratio"] = known(step.cost_ratio);
  value["because"] = step.because;
  return value;
}

Value form(const Sensitivity& sensitivity) {
  Value value;
  value["runner_up"] = sensitivity.runner_up.empty() ? Value() : Value(sensitivity.runner_up);
  value["price_per_hour"] = form_or_null(sensitivity.price);
  value["price_limit"] = form_or_null(sensitivity.price_limit);
  value["wins"] = Value::list();
  for (const auto& [offer, share] : sensitivity.wins) {
    Value entry;
    entry["offer"] = offer;
    entry["share"] = share;
    value["wins"].push_back(std::move(entry));
  }
  value["draws"] = sensitivity.draws;
  return value;
}

}  // namespace steelyard::report
