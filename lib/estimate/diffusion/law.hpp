// The time law of diffusion models: one training step, or one generated sample. Formulas and sources: docs/reference/estimate-diffusion.md.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <steelyard/estimate.hpp>
#include <string>
#include <vector>

#include "estimate/diffusion/model.hpp"
#include "estimate/offsets/offsets.hpp"
#include "estimate/train/machine.hpp"

namespace steelyard::estimate {

struct DiffusionJob {
  DiffusionModel model;
  TrainingMachine machine;
  bool training = false;
  bool trains_weights = true;               // false: adapters or a frozen network
  double px = 0, frames = 1, images = 1;    // of one sample; samples generated together
  double optimizer_bytes = 30;              // moved by the update of one parameter
  double gradient_bytes = 4;                // of one parameter on the wire: frameworks reduce in 32 bits where weights are kept so
  double moved_once = 0, moved_a_step = 0;  // bytes that wait in host memory and come over for a batch of samples, and in every step
  std::string name, software, use;          // for the levels
};

/// Empty where model, board, its peak, or (training on several nodes) the rate between nodes is not known; `missing` names them.
std::optional<DiffusionJob> diffusion_job(const Workload& workload, const Configuration& configuration, std::vector<std::string>& missing);

struct DiffusionLaw {
  double compute_share = 0.55;                                             // of the dense peak
  double unet_bytes_per_flop = 0.006, transformer_bytes_per_flop = 0.001;  // between operators, per operation
  double block_launch_us = 200;                                            // one block, one pass
  double exchange_share = 1.3;                                             // time of an exchange over its bytes at the link's peak
};
struct DiffusionParameter {
  const char* name;
  double DiffusionLaw::*member;
};
std::span<const DiffusionParameter> diffusion_parameters();

/// Seconds of one step (training) or of one batch of samples (generation) by where they go; `total` is their sum.
struct DiffusionTimes {
  double compute = 0, memory_bound = 0, communication = 0, host = 0, total = 0;
  double exchange_bytes = 0, inter_node_bytes = 0;  // a GPU sends in a step
  double flop = 0;                                  // of all GPUs, without recomputation
};
DiffusionTimes generation_times(const DiffusionJob& job, const DiffusionLaw& law);
DiffusionTimes training_times(const DiffusionJob& job, const Plan& plan, const DiffusionLaw& law);

std::vector<Level> diffusion_levels(const DiffusionJob& job, const std::map<std::string, double, std::less<>>& sigmas);

}  // namespace steelyard::estimate
