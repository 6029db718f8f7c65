#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <steelyard/report.hpp>
#include <steelyard/stack.hpp>

#include "report/forms.hpp"

namespace steelyard::report {

namespace {

constexpr std::size_t page_width = 80;

// Breaks a sentence at spaces so that it fits the page, later lines indented.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string page, line;
  for (const std::string& word : split(text, ' ')) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > page_width) {
      page += line + "\n" + std::string(indent, ' ');
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return page + line;
}

std::string item(const std::string& text) { return "  - " + wrapped(text, 4) + "\n"; }

std::string figure(double value, int digits = 3) { return format_rounded(value, digits, true); }

std::string money(const Money& money) { return figure(money.amount) + " " + money.currency; }

std::string machine(const Configuration& configuration) {
  const std::string cards = fmt::format("{} x {}", configuration.gpus_per_node, configuration.board ? configuration.board->id : configuration.gpu);
  return configuration.nodes == 1 ? cards : fmt::format("{} nodes of {}", configuration.nodes, cards);
}

std::string network(const Configuration& configuration) {
  std::string text = configuration.intra_node.empty() ? "link inside not stated" : configuration.intra_node;
  if (configuration.nodes < 2) return text;
  const InterNode& between = configuration.inter_node;
  if (between.kind.empty()) return text + ", network between nodes not stated";
  text += ", " + between.kind;
  if (between.gbit_per_s_per_node) text += " " + figure(*between.gbit_per_s_per_node) + " gbit/s a node";
  return text;
}

std::string hours(double value) {
  if (value < 1) return figure(value * 60) + " min";
  return value < 72 ? figure(value) + " h" : figure(value / 24) + " d";
}

std::string speed(const Estimate& estimate) {
  const Value rate = throughput(estimate);
  if (rate.is_null()) return "speed not known";
  std::string unit = rate.find("unit")->as_string();
  const auto per = unit.find("_per_s");
  if (per != std::string::npos) unit = unit.substr(0, per) + "/s";
  std::replace(unit.begin(), unit.end(), '_', ' ');
  std::string text = figure(rate.find("value")->as_number()) + " " + unit;
  if (const Value* low = rate.find("low")) text += fmt::format(" ({} to {})", figure(low->as_number()), figure(rate.find("high")->as_number()));
  return text;
}

std::string plan_words(const Plan& plan) {
  std::string text = fmt::format("tensor {}, pipeline {}, data {}, sharding {}, micro batch {}", plan.tensor, plan.pipeline, plan.data, plan.sharding,
                                 plan.micro_batch);
  if (plan.context > 1) text += fmt::format(", context {}", plan.context);
  if (plan.expert > 1) text += fmt::format(", expert {}", plan.expert);
  if (plan.offload != "none") text += ", offload " + plan.offload;
  if (plan.activation_checkpointing != "none") text += ", recompute " + plan.activation_checkpointing;
  return text;
}

std::string memory_words(const MemoryEstimate& memory) {
  if (!memory.peak_gib || !memory.usable_gib) return "memory not known";
  return fmt::format("{} of {} GiB usable on the fullest GPU", figure(*memory.peak_gib), figure(*memory.usable_gib));
}

std::string costs(const Estimate& estimate) {
  std::string text;
  if (estimate.time_h) text += hours(*estimate.time_h);
  if (estimate.cost) text += (text.empty() ? "" : ", ") + money(*estimate.cost);
  if (estimate.unit_cost) text += fmt::format("{}{} per effective TFLOPS-hour", text.empty() ? "" : ", ", money(estimate.unit_cost->money));
  return text.empty() ? "cost not known" : text;
}

std::string reasons(const std::vector<Reason>& list) {
  std::string text;
  for (const Reason& reason : list)
    text += item(fmt::format("{} [{}{}]", reason.message, reason.code, reason.rule.empty() ? "" : ", rule " + reason.rule));
  return text;
}

std::string questions(const std::vector<Question>& list, std::size_t most) {
  std::string text;
  for (std::size_t index = 0; index < std::min(most, list.size()); ++index) text += item(list[index].ask);
  if (list.size() > most) text += fmt::format("  ... and {} more\n", list.size() - most);
  return text;
}

std::string trace_words(const std::vector<TraceStep>& trace) {
  std::string text, last;
  int number = 0;
  for (const TraceStep& step : trace) {
    if (step.step != last) {
      text += fmt::format("  {} {}\n", ++number, step.step);
      last = step.step;
    }
    text += "      " + wrapped(step.because, 8) + "\n        " + step.rule + "  " + to_string(step.where) + "\n";
  }
  return text;
}

// "pytorch 2.7.0 cu118 on driver 470.82.01: ok".
std::string software_words(const ChosenSoftware& software) {
  std::string text;
  for (const std::string& part : {software.framework, software.version, software.cuda, software.image}) {
    if (!part.empty()) text += (text.empty() ? "" : " ") + part;
  }
  if (!software.driver.empty()) text += (text.empty() ? "driver " : " on driver ") + software.driver;
  return text + ": " + software.verdict;
}

std::string figures(const Estimate& estimate) {
  std::string text;
  if (estimate.plan) text += "  plan     " + wrapped(plan_words(*estimate.plan), 11) + "\n";
  if (estimate.software) text += "  software " + wrapped(software_words(*estimate.software), 11) + "\n";
  text += "  memory   " + memory_words(estimate.memory) + "\n";
  text += "  speed    " + speed(estimate) + "\n";
  text += "  cost     " + wrapped(costs(estimate), 11) + "\n";
  if (estimate.csi) {
    text +=
        fmt::format("  network  {} needed (communication index {})\n", estimate.tier.empty() ? "not known" : estimate.tier, figure(*estimate.csi, 5));
  }
  if (!estimate.time.confidence.empty()) text += "  rests on " + estimate.time.confidence + "\n";
  return text;
}

}  // namespace

std::string text(const Estimate& estimate) {
  std::string page = "Verdict: " + estimate.verdict + "\n" + figures(estimate);
  if (!estimate.reasons.empty()) page += "Because:\n" + reasons(estimate.reasons);
  if (!estimate.questions.empty()) page += "To be answered:\n" + questions(estimate.questions, 10);
  if (!estimate.warnings.empty()) page += "Mind:\n" + reasons(estimate.warnings);
  return page;
}

namespace {

std::string headline(const Decision& decision) {
  const RankedOffer* best = decision.best();
  if (!best) return fmt::format("Nothing fits: none of {} offers is accepted.\n", decision.offers);
  std::string page = "Rent " + best->offer + ": " + machine(best->configuration) + "\n" + "  link     " + network(best->configuration) + "\n";
  return page + figures(best->estimate) + "Why, step by step:\n" + trace_words(best->estimate.trace);
}

std::string table(const Decision& decision, std::size_t top) {
  if (decision.ranking.empty()) return {};
  std::string page = fmt::format("\n{} of {} offers are accepted. Best first:\n", decision.ranking.size(), decision.offers);
  for (std::size_t index = 0; index < std::min(top, decision.ranking.size()); ++index) {
    const RankedOffer& one = decision.ranking[index];
    page += fmt::format("{:>4} {}  {}\n     {}\n", one.rank, one.offer, machine(one.configuration),
                        wrapped(speed(one.estimate) + "; " + costs(one.estimate), 5));
    if (!one.dominated_by.empty() && index < 3) page += "     slower and dearer than " + one.dominated_by + "\n";
  }
  return page;
}

std::string rejections(const Decision& decision) {
  std::vector<std::pair<std::string, std::vector<const RejectedOffer*>>> groups;
  for (const RejectedOffer& offer : decision.rejected) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == offer.reason.code; });
    if (group == groups.end()) group = groups.insert(groups.end(), {offer.reason.code, {}});
    group->second.push_back(&offer);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& one, const auto& other) { return one.second.size() > other.second.size(); });
  std::string page;
  if (!groups.empty()) page += fmt::format("\nWhy not the others ({} rejected):\n", decision.rejected.size());
  for (const auto& [code, offers] : groups) {
    page += item(fmt::format("{}: {} offers, such as {}: {}", code, offers.size(), offers.front()->offer, offers.front()->reason.message));
  }
  if (!decision.undecided.empty()) page += fmt::format("\n{} offers can't be decided. What would decide them:\n", decision.undecided.size());
  return page + questions(decision.questions, 5);
}

}  // namespace

std::string text(const Decision& decision, std::size_t top) {
  std::string page = headline(decision) + table(decision, top);
  if (decision.minimal) page += "\n" + wrapped("Start small: " + decision.minimal->offer + "; " + decision.minimal->because, 2) + "\n";
  if (const RankedOffer* best = decision.best(); best && !best->estimate.warnings.empty()) page += "\nMind:\n" + reasons(best->estimate.warnings);
  return page + rejections(decision);
}

std::string text(const Explanation& explanation) {
  std::string page = explanation.offer + ": " + machine(explanation.configuration) + "\n" + text(explanation.estimate);
  page += "Step by step:\n" + trace_words(explanation.estimate.trace);
  if (explanation.runnable) page += "On its driver: " + to_text(*explanation.runnable, 5);
  for (const WhatIf& what_if : explanation.what_if) {
    std::string changes;
    for (const WhatIf::Change& change : what_if.changes) {
      changes += fmt::format("{}{} from {} to {}", changes.empty() ? "" : ", ", change.field, to_json(change.from), to_json(change.to));
    }
    page += item("To " + what_if.to + ": " + changes);
  }
  return page;
}

}  // namespace steelyard::report
