// The launch kit: the configuration that makes a plan true. Only settings that the plan really has; what no program can express is said.
#pragma once

#include <steelyard/advisor.hpp>
#include <steelyard/configuration.hpp>
#include <steelyard/estimate.hpp>
#include <steelyard/issue.hpp>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

namespace steelyard {

/// A file of the kit: "launch.sh" "container.sh" "accelerate.yaml" "ds_config.json".
struct LaunchFile {
  std::string name, text;

  friend bool operator==(const LaunchFile&, const LaunchFile&) = default;
};

/// Why a program cannot carry out a plan.
struct LaunchRefusal {
  std::string framework, because;
};

struct LaunchKit {
  Plan plan;                            // what the files carry out: the plan asked for, but for what a note says
  std::string framework;                // "fsdp" "deepspeed" "megatron" "vllm" "sglang"
  std::vector<LaunchFile> files;        // launch.sh is run on every node; container.sh runs it in a container
  Value environment = Value::map();     // variables that launch.sh sets
  std::vector<std::string> notes;       // what the kit leaves to the user, and what differs from the plan
  std::vector<LaunchRefusal> refusals;  // programs that were asked before this one, or all of them where there is no kit
};

/// The names that --for takes.
std::vector<std::string> launch_frameworks();

/// Why this framework cannot carry out the plan on this configuration; empty: it can.
std::string why_no_launch(const std::string& framework, const Workload& workload, const Configuration& configuration, const Plan& plan);

/// The kit of a plan. `framework` empty: the workload's own where it can, else the first that can. `environment` holds the NCCL settings of the
/// acceptance answer. An issue with the reasons where the framework (or every one) cannot carry out the plan.
Loaded<LaunchKit> make_launch_kit(const Workload& workload, const Configuration& configuration, const Plan& plan, const std::string& framework = {},
                                  const Value& environment = Value::map());

/// The kit for one offer of the advisor's catalog, with the plan that `recommend` shows.
struct OfferLaunch {
  std::string offer;
  Configuration configuration;
  Plan plan;
  LaunchKit kit;
};
/// `offer` empty: the best one. Issues where there is no such offer, none is accepted, or no program can carry out its plan.
Loaded<OfferLaunch> launch_offer(const Advisor& advisor, const Workload& workload, const std::string& offer, const std::string& framework,
                                 const Date& today);

/// {"framework", "files": [{"name", "text"}], "environment", "notes", "refusals": [{"framework", "because"}]}
Value to_value(const LaunchKit& kit);
/// {"schema": "steelyard.launch/1", "offer", "configuration", "plan", "launch"}
Value to_value(const OfferLaunch& launch);

namespace report {
std::string text(const LaunchKit& kit);
}

}  // namespace steelyard
