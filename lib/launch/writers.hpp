// One writer a program: from a plan to the files that start it. Each setting comes from the plan or the workload, none from taste.
#pragma once

#include <steelyard/launch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "launch/frameworks.hpp"

namespace steelyard::launch {

struct Job {
  const Framework& framework;
  const Workload& workload;
  const Configuration& configuration;
  const Plan& plan;
  Layout lies;
};

/// A command that grows word by word and is written with a continued line for each option.
class Command {
 public:
  explicit Command(std::string program) : text_(std::move(program)) {}

  Command& option(const std::string& words);
  Command& option(const std::string& name, const std::string& value);
  Command& option(const std::string& name, long long value) { return option(name, std::to_string(value)); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A word as the shell reads it back: in single quotes where it needs them.
std::string quoted(const std::string& word);

void write_fsdp(const Job& job, LaunchKit& kit);
void write_deepspeed(const Job& job, LaunchKit& kit);
void write_megatron(const Job& job, LaunchKit& kit);
void write_vllm(const Job& job, LaunchKit& kit);
void write_sglang(const Job& job, LaunchKit& kit);

/// "torchrun --nnodes ..." for the layout, up to the script.
Command torchrun(const Layout& lies);
/// The arguments of a training script that takes those of transformers' Trainer and of TRL.
void add_trainer_arguments(const Job& job, Command& command, LaunchKit& kit);
/// launch.sh with the command, after the variables of the environment.
void add_script(const Command& command, LaunchKit& kit);

}  // namespace steelyard::launch
