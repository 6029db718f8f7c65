// Bounds of the search over plans and the usual figures that order plans: data/efficiency/plan_search.yaml.
#pragma once

namespace steelyard::estimate {

/// Rates per GPU and one direction.
struct PlanBounds {
  int largest_micro_batch = 1, largest_tensor = 1, largest_context = 1;
  int long_context_tokens = 0;  // from here on splitting a sequence over GPUs is tried
  double usual_tflops = 0, usual_memory_gb_per_s = 0, usual_nvlink_gb_per_s = 0, usual_pcie_gb_per_s = 0, usual_network_gb_per_s = 0;
  double collective_latency_us = 0;
  double memory_share = 1;  // of the usable memory: the decision task.memory_share of the reference rule book

  static const PlanBounds& embedded();
};

}  // namespace steelyard::estimate
