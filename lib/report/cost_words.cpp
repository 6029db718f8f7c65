// Sentences about the terms of a price and about more nodes.
#include "core/text.hpp"
#include "report/words.hpp"

namespace steelyard::report {

std::string Words::cost_parts(const CostParts& parts) const {
  std::string text = say("{} billed", hours(parts.billed_h));
  const std::pair<const char*, double> amounts[] = {{"compute {}", parts.compute},
                                                    {"interruptions {}", parts.interruption},
                                                    {"unused hours {}", parts.unused},
                                                    {"storage {}", parts.storage},
                                                    {"egress {}", parts.egress}};
  for (const auto& [phrase, amount] : amounts) {
    if (amount > 0) text += ", " + say(phrase, money({amount, parts.currency}));
  }
  if (!parts.not_counted.empty()) text += "; " + say("not counted: {}", join(parts.not_counted, ", "));
  return text;
}

std::string Words::scaling(const NodeScaling& scaling) const {
  std::string text;
  if (scaling.speedup && scaling.efficiency) {
    text = say("{} nodes do {} times the work of one ({} %)", scaling.nodes, figure(*scaling.speedup), figure(100 * *scaling.efficiency, 2)) + "; ";
  }
  if (scaling.link == "any") return text + say("any network is fast enough for 90 %");
  if (scaling.link == "out_of_reach") return text + say("no network brings {} nodes to 90 %", scaling.nodes);
  if (scaling.link_for_90_percent_gbit_per_s) {
    return text + say("90 % takes {} of {} gbit/s a node", scaling.link_kind, figure(*scaling.link_for_90_percent_gbit_per_s, 2));
  }
  return text + scaling.because;
}

}  // namespace steelyard::report
