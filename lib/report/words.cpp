#include "report/words.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "report/forms.hpp"

namespace steelyard::report {

std::string figure(double value, int digits) { return format_rounded(value, digits, true); }

std::string Words::money(const Money& money) const { return figure(money.amount) + " " + money.currency; }

std::string Words::machine(const Configuration& configuration) const {
  const std::string cards = fmt::format("{} x {}", configuration.gpus_per_node, configuration.board ? configuration.board->id : configuration.gpu);
  return configuration.nodes == 1 ? cards : say("{} nodes of {}", configuration.nodes, cards);
}

std::string Words::network(const Configuration& configuration) const {
  std::string text = configuration.intra_node.empty() ? say("link inside not stated") : configuration.intra_node;
  if (configuration.nodes < 2) return text;
  const InterNode& between = configuration.inter_node;
  if (between.kind.empty()) return text + say(", ") + say("network between nodes not stated");
  text += say(", ") + between.kind;
  if (between.gbit_per_s_per_node) text += " " + say("{} gbit/s a node", figure(*between.gbit_per_s_per_node));
  return text;
}

std::string Words::hours(double value) const {
  if (value < 1) return say("{} min", figure(value * 60));
  return value < 72 ? say("{} h", figure(value)) : say("{} d", figure(value / 24));
}

std::string Words::speed(const Estimate& estimate) const {
  const Value rate = throughput(estimate);
  if (rate.is_null()) return say("speed not known");
  std::string unit = rate.find("unit")->as_string();
  const auto per = unit.find("_per_s");
  if (per != std::string::npos) unit = unit.substr(0, per) + "/s";
  std::replace(unit.begin(), unit.end(), '_', ' ');
  std::string text = figure(rate.find("value")->as_number()) + " " + say(unit);
  if (const Value* low = rate.find("low")) text += say(" ") + say("({} to {})", figure(low->as_number()), figure(rate.find("high")->as_number()));
  return text;
}

std::string Words::plan(const Plan& plan) const {
  std::string text =
      say("tensor {}, pipeline {}, data {}, sharding {}, micro batch {}", plan.tensor, plan.pipeline, plan.data, plan.sharding, plan.micro_batch);
  if (plan.context > 1) text += say(", ") + say("context {}", plan.context);
  if (plan.expert > 1) text += say(", ") + say("expert {}", plan.expert);
  if (plan.offload != "none") text += say(", ") + say("offload {}", plan.offload);
  if (plan.activation_checkpointing != "none") text += say(", ") + say("recompute {}", plan.activation_checkpointing);
  return text;
}

// "pytorch 2.7.0 cu118 on driver 470.82.01: ok".
std::string Words::software(const ChosenSoftware& software) const {
  std::string text;
  for (const std::string& part : {software.framework, software.version, software.cuda, software.image}) {
    if (!part.empty()) text += (text.empty() ? "" : " ") + part;
  }
  if (!software.driver.empty()) text = text.empty() ? say("driver {}", software.driver) : say("{} on driver {}", text, software.driver);
  return text + say(": ") + say(software.verdict);
}

std::string Words::memory(const MemoryEstimate& memory) const {
  if (!memory.peak_gib || !memory.usable_gib) return say("memory not known");
  return say("{} of {} GiB usable on the fullest GPU", figure(*memory.peak_gib), figure(*memory.usable_gib));
}

std::string Words::costs(const Estimate& estimate) const {
  std::string text;
  if (estimate.time_h) text += hours(*estimate.time_h);
  if (estimate.cost) text += (text.empty() ? "" : say(", ")) + money(*estimate.cost);
  if (estimate.unit_cost) text += (text.empty() ? "" : say(", ")) + say("{} per effective TFLOPS-hour", money(estimate.unit_cost->money));
  return text.empty() ? say("cost not known") : text;
}

std::string Words::changes(const WhatIf& what_if) const {
  std::string text;
  for (const WhatIf::Change& change : what_if.changes) {
    if (!text.empty()) text += say(", ");
    text += change.from.is_null() ? say("{} set to {}", change.field, to_json(change.to))
                                  : say("{} from {} to {}", change.field, to_json(change.from), to_json(change.to));
  }
  return say(what_if.to == "win" ? "To win: {}" : "To be accepted: {}", text);
}

std::string Words::sensitivity(const Sensitivity& sensitivity) const {
  std::string text;
  if (sensitivity.price && sensitivity.price_limit && sensitivity.price->amount > 0) {
    const double percent = 100 * (sensitivity.price_limit->amount / sensitivity.price->amount - 1);
    text = say("It stays first up to {} an hour ({} % above its price); beyond that {} is.", money(*sensitivity.price_limit), figure(percent, 2),
               sensitivity.runner_up);
  }
  if (!sensitivity.wins.empty()) {
    const auto& [offer, share] = sensitivity.wins.front();
    text += (text.empty() ? "" : say(" ")) +
            say("With speeds drawn within their intervals {} is first in {} % of the cases", offer, figure(100 * share, 2));
    if (sensitivity.wins.size() > 1) text += say(", {} in {} %", sensitivity.wins[1].first, figure(100 * sensitivity.wins[1].second, 2));
    text += say(".");
  }
  return text;
}

// "fastest, fewest GPUs: aws/us-east-1/p5.48xlarge, 8 GPUs, ...". The first choice, best value, is what the report recommends: it is told again only
// for what else it is best in.
std::vector<std::string> Words::choices(const std::vector<Choice>& choices) const {
  std::vector<std::pair<const Choice*, std::string>> offers;
  for (std::size_t index = 1; index < choices.size(); ++index) {
    const Choice& one = choices[index];
    const auto known = std::find_if(offers.begin(), offers.end(), [&](const auto& entry) { return entry.first->offer == one.offer; });
    if (known == offers.end()) {
      offers.emplace_back(&one, say(one.role));
    } else {
      known->second = say("{}, {}", known->second, say(one.role));
    }
  }
  std::vector<std::string> lines;
  for (const auto& [choice, roles] : offers) {
    std::string text = say("{}: {}, {} GPUs", roles, choice->offer, choice->gpus);
    if (choice->time_h) text += say(", ") + hours(*choice->time_h);
    if (choice->cost) text += say(", ") + money(*choice->cost);
    if (choice->hourly) text += say(", ") + say("{} an hour", money(*choice->hourly));
    if (const auto& limit = choice->break_even_h) {
      text += say(", ") + (*limit > 0 ? say("cheaper than on demand if interrupted less than once in {}", hours(*limit))
                                      : say("cheaper than on demand however often it is interrupted"));
    }
    lines.push_back(std::move(text));
  }
  return lines;
}

}  // namespace steelyard::report
