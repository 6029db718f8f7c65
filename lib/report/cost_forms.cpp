// Forms of what stands beside the cost: its parts under the terms of a price, what more nodes bring.
#include "report/forms.hpp"

namespace steelyard::report {

Value form(const CostParts& parts) {
  Value value;
  value["currency"] = parts.currency;
  const std::pair<const char*, double> figures[] = {
      {"running_h", parts.running_h}, {"elapsed_h", parts.elapsed_h},        {"billed_h", parts.billed_h}, {"compute", parts.compute},
      {"unused", parts.unused},       {"interruption", parts.interruption},  {"storage", parts.storage},   {"egress", parts.egress},
      {"total", parts.total()},       {"interruptions", parts.interruptions}};
  for (const auto& [name, figure] : figures) value[name] = figure;
  value["checkpoint_every_s"] = known(parts.checkpoint_every_s);
  value["not_counted"] = Value::list();
  for (const std::string& term : parts.not_counted) value["not_counted"].push_back(term);
  return value;
}

Value form(const NodeScaling& scaling) {
  Value value;
  value["nodes"] = scaling.nodes;
  value["speedup"] = known(scaling.speedup);
  value["efficiency"] = known(scaling.efficiency);
  value["link"] = scaling.link.empty() ? Value() : Value(scaling.link);
  value["link_for_90_percent_gbit_per_s"] = known(scaling.link_for_90_percent_gbit_per_s);
  value["link_kind"] = scaling.link_kind.empty() ? Value() : Value(scaling.link_kind);
  value["because"] = scaling.because;
  return value;
}

}  // namespace steelyard::report
