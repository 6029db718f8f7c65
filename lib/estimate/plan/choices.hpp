// What a plan may be: the degrees that a workload leaves open, and the values that are valid for a configuration.
#pragma once

#include <string>
#include <vector>

#include "estimate/memory/job.hpp"

namespace steelyard::estimate {

/// Values to try for each part of a plan; one value where the workload states it.
struct PlanChoices {
  std::vector<int> tensor, pipeline, context, expert, micro;
  std::vector<std::string> sharding, recompute;
  int virtual_pipeline = 1, gpus = 1, gpus_per_node = 1;
  std::optional<int> data, global_batch;
  std::optional<bool> sequence_parallel;
  std::string offload = "none";
  bool training = true;
  bool batch_stated = false;           // of a training job: micro-batch and global batch both
  int expert_blocks = 0;               // blocks in the width of one expert, which tensor parallelism must not cut unless experts are spread; 0: none
  bool open_recompute = false;         // selective recomputation may take whole layers, as many as it needs
  std::vector<std::string> filled_in;  // dotted names of the parts that the workload leaves open
  std::vector<std::string> faults;     // stated degrees that can't be used
};

PlanChoices plan_choices(const Workload& workload, const Configuration& configuration, const MemoryJob& job);

/// All plans of the choices, simplest first. Calls `use` for each.
template <class Use>
void each_plan(const PlanChoices& choices, const Use& use);

/// The plan for one set of degrees: data-parallel size, accumulation and global batch follow. Empty where the degrees don't fit the GPUs.
std::optional<Plan> make_plan(const PlanChoices& choices, int tensor, int pipeline, int context, int expert, int micro);

/// Sizes of groups that share states under hybrid sharding, smallest first: whole nodes.
std::vector<int> shard_groups(const Plan& plan, int gpus_per_node);

template <class Use>
void each_plan(const PlanChoices& choices, const Use& use) {
  for (const int tensor : choices.tensor) {
    for (const int pipeline : choices.pipeline) {
      for (const int context : choices.context) {
        for (const int expert : choices.expert) {
          for (const int micro : choices.micro) {
            std::optional<Plan> plan = make_plan(choices, tensor, pipeline, context, expert, micro);
            if (!plan) continue;
            for (const std::string& sharding : choices.sharding) {
              for (const std::string& recompute : choices.recompute) {
                plan->sharding = sharding;
                plan->activation_checkpointing = recompute;
                use(*plan);
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace steelyard::estimate
