// Which program can carry out which plan: data/launch/frameworks.yaml.
#pragma once

#include <map>
#include <steelyard/configuration.hpp>
#include <steelyard/estimate.hpp>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

namespace steelyard::launch {

struct Framework {
  std::string name, title, image, image_driver;
  bool serves = false;
  std::vector<std::string> engines, splits, sharding, offload, activation_checkpointing, precision, methods, optimizers;
  std::map<std::string, std::vector<std::string>> offload_needs;  // offload -> sharding that it takes
};

/// All of them, in the order of preference.
const std::vector<Framework>& frameworks();
const Framework* find_framework(const std::string& name);
const std::vector<std::string>& ulimits();

/// Is the job served rather than trained?
bool serves(const Workload& workload);
/// Its method, from the task where it is not stated: "full" "lora" "qlora" "freeze".
std::string method_of(const Workload& workload);
/// Its arithmetic; bf16 where none is stated (what the estimate counts with).
std::string precision_of(const Workload& workload);
std::string optimizer_of(const Workload& workload);
/// The id or name to load the model by.
std::string model_name(const Workload& workload);

/// Why not; empty: it can.
std::string why_not(const Framework& framework, const Workload& workload, const Configuration& configuration, const Plan& plan);

/// GPUs that the plan uses, and how they lie.
struct Layout {
  int nodes = 1, per_node = 1;
};
Layout layout(const Configuration& configuration, const Plan& plan);

}  // namespace steelyard::launch
