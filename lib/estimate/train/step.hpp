// The time of one optimizer step of a transformer, from shapes, plan and rates. Pure arithmetic: no memory is allocated.
// Every formula with its source: docs/reference/estimate-time.md.
#pragma once

#include <optional>
#include <span>
#include <steelyard/estimate.hpp>
#include <steelyard/workload.hpp>

#include "estimate/train/machine.hpp"
#include "estimate/train/parameters.hpp"
#include "estimate/train/shape.hpp"
#include "estimate/train/software.hpp"

namespace steelyard::estimate {

/// All that a step's time takes besides the plan.
struct TrainingJob {
  TransformerShape shape;
  TrainingMachine machine;
  TrainingSoftware software;
  double sequence = 0;                      // tokens
  bool fine_tunes = false;                  // starts from trained weights: short jobs on less tuned software
  bool trains_weights = true;               // false: LoRA, QLoRA, frozen backbone
  double dequantised_bytes_per_weight = 0;  // QLoRA: traffic of unpacking one weight for one pass
  double gathered_bytes_per_weight = 2;     // of a weight that travels to the GPUs that lack it: what is stored, packed where it is quantised
  double optimizer_bytes = 20;              // read and written by one parameter's update
  bool low_precision = false;               // activations are cast before each product
  bool recompute_open = false;              // the workload leaves recomputation to the plan: as much as memory asks for, not whole layers everywhere
  bool flash_attention = true, fused_experts = true;
  int gemm = -1, half_gemm = -1, attention = -1;  // indices of the efficiencies in the parameter set
};

/// Seconds of one step by where they go, and what travels. `total` is the sum of the parts.
struct StepTimes {
  double compute = 0;        // matrix products and attention, on the fullest stage
  double memory_bound = 0;   // passes through memory: norms, activations, casts, optimizer
  double communication = 0;  // exposed: not hidden under the rest
  double bubble = 0;         // idle pipeline stages
  double input = 0;          // launches and host work not hidden
  double total = 0;
  double exchange_bytes = 0;    // a GPU sends to others
  double inter_node_bytes = 0;  // of those, beyond its domain
  double model_flops = 0;       // of the whole job: 6 per active weight and token and the causal attention, no recomputation
};

/// The job of a workload on a configuration. Empty where model, board, sequence length or network are not known well enough.
std::optional<TrainingJob> training_job(const Workload& workload, const Configuration& configuration, const SoftwareTable& table,
                                        const ParameterSet& parameters);

StepTimes step_times(const TrainingJob& job, const Plan& plan, std::span<const double> parameters);

}  // namespace steelyard::estimate
