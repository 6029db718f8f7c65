// Memory of a job by phase, and plans of execution that fit. Formulas and sources: docs/reference/estimate-memory.md.
#pragma once

#include <functional>
#include <optional>
#include <steelyard/estimate.hpp>
#include <string>
#include <vector>

namespace steelyard {

/// GiB that a process can have on a board: as measured, else the least that the nominal size can mean (1e9 bytes a GB).
std::optional<double> usable_memory_gib(const Board& board);

/// Memory of a job under a plan: GiB by phase on the fullest GPU, the largest allocation, and host memory per node.
/// Figures are empty where the model (or its size) is not known; `basis` says what they rest on.
MemoryEstimate estimate_memory(const Workload& workload, const Configuration& configuration, const Plan& plan);

/// Seconds of one step (training: one global batch; serving: what the caller compares) under a plan; empty where it can't run so.
using StepTime = std::function<std::optional<double>(const Plan&)>;

struct PlanOptions {
  std::optional<double> memory_share;  // of the usable memory that a plan may fill; empty: what the reference rules of step 1 say
  std::size_t keep = 3;                // runners-up
};

/// A plan with its figures and, for runners-up, what it loses against the best.
struct RatedPlan {
  Plan plan;
  double peak_gib = 0;
  std::optional<double> step_time_s;
  std::string because;
};

/// What a search over plans found. Without a fitting plan `best` is the one that comes nearest to fitting.
struct PlanSearch {
  RatedPlan best;
  std::vector<RatedPlan> runners_up;
  std::size_t tried = 0, fitting = 0;
  bool fits = false;
  std::vector<std::string> faults;  // why stated degrees can't be used, in words; empty where they can
};

/// Fills every `auto` of a workload's plan: valid plans for the configuration, pruned by memory, the fastest first.
/// What the workload states stays. Without `step_time` a roofline of flops, bytes and link rates decides.
PlanSearch search_plans(const Workload& workload, const Configuration& configuration, const StepTime& step_time = {},
                        const PlanOptions& options = {});

/// The best plan of `search_plans` alone.
Plan fill_plan(const Workload& workload, const Configuration& configuration, const StepTime& step_time = {}, const PlanOptions& options = {});

}  // namespace steelyard
