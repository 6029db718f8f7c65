#include "estimate/plan/bounds.hpp"

#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::estimate {

namespace {

double value_of(const load::Document& document, load::Fields& file, const char* key, Issues& issues) {
  const load::Node* node = file.node(key);
  if (!node) return 0;
  load::Fields entry(document, *node, issues, key);
  return entry.required_number("value", 0);
}

/// The rule book states how much of a board a run may fill; the search must not choose what the rules then refuse.
double memory_share_of_rules(Issues& issues) {
  double share = 1;
  const load::Document document = load::embedded_document("rules/reference/1_task/memory.yaml");
  load::Fields book(document, document.root, issues, "rules");
  if (const load::Node* decisions = book.node("decisions"))
    load::each_map(document, *decisions, issues, "decision", [&](load::Fields& decision) {
      if (decision.text("id") == "task.memory_share") share = decision.required_number("value", 0, 1);
    });
  return share;
}

PlanBounds read_bounds() {
  PlanBounds out;
  Issues issues;  // the shipped files are checked by tests
  const load::Document document = load::embedded_document("data/efficiency/plan_search.yaml");
  load::Fields file(document, document.root, issues, "plan search");
  const auto number = [&](const char* key) { return value_of(document, file, key, issues); };
  out.largest_micro_batch = static_cast<int>(number("largest_micro_batch"));
  out.largest_tensor = static_cast<int>(number("largest_tensor"));
  out.largest_context = static_cast<int>(number("largest_context"));
  out.long_context_tokens = static_cast<int>(number("long_context_tokens"));
  out.usual_tflops = number("usual_tflops");
  out.usual_memory_gb_per_s = number("usual_memory_gb_per_s");
  out.usual_nvlink_gb_per_s = number("usual_nvlink_gb_per_s");
  out.usual_pcie_gb_per_s = number("usual_pcie_gb_per_s");
  out.usual_network_gb_per_s = number("usual_network_gb_per_s");
  out.collective_latency_us = number("collective_latency_us");
  out.memory_share = memory_share_of_rules(issues);
  return out;
}

}  // namespace

const PlanBounds& PlanBounds::embedded() {
  static const PlanBounds shipped = read_bounds();
  return shipped;
}

}  // namespace steelyard::estimate
