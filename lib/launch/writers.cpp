#include "launch/writers.hpp"

namespace steelyard::launch {

std::string quoted(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%") == std::string::npos && !word.empty())
    return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

Command& Command::option(const std::string& words) {
  text_ += " \\\n  " + words;
  return *this;
}

Command& Command::option(const std::string& name, const std::string& value) { return option(name + " " + value); }

Command torchrun(const Layout& lies) {
  Command command("torchrun");
  command.option("--nnodes", lies.nodes).option("--nproc_per_node", lies.per_node);
  if (lies.nodes > 1) command.option("--node_rank", "\"$NODE_RANK\"").option("--master_addr", "\"$MASTER_ADDR\"").option("--master_port", 29500);
  return command;
}

void add_trainer_arguments(const Job& job, Command& command, LaunchKit& kit) {
  const Workload& workload = job.workload;
  const std::string method = method_of(workload), precision = precision_of(workload), optimizer = optimizer_of(workload);
  command.option("train.py").option("--model_name_or_path", quoted(model_name(workload)));
  command.option("--per_device_train_batch_size", job.plan.micro_batch).option("--gradient_accumulation_steps", job.plan.accumulation);
  if (workload.sequence_length) command.option("--max_length", *workload.sequence_length);
  if (precision == "bf16" || precision == "fp16") command.option("--" + precision, "true");
  if (method == "lora" || method == "qlora") {
    const Lora lora = workload.lora.value_or(Lora{});
    command.option("--use_peft", "true").option("--lora_r", lora.rank);
    std::string targets = lora.targets == "all_linear" ? "all-linear" : lora.targets;
    for (char& c : targets) c = c == ',' ? ' ' : c;
    command.option("--lora_target_modules", targets);
  }
  if (method == "qlora") command.option("--load_in_4bit", "true");
  if (optimizer == "adamw") command.option("--optim", "adamw_torch");
  if (optimizer == "adam8bit") command.option("--optim", "adamw_bnb_8bit");
  if (optimizer == "adafactor" || optimizer == "sgd") command.option("--optim", optimizer);
  if (workload.work.steps) command.option("--max_steps", static_cast<long long>(*workload.work.steps));
  if (!workload.work.steps && workload.work.epochs) command.option("--num_train_epochs", to_json(Value(*workload.work.epochs)));
  kit.notes.push_back(
      "train.py stands for your script; it takes the arguments of transformers' TrainingArguments and TRL's SFTConfig and ModelConfig "
      "(trl/scripts/sft.py does)");
}

void add_script(const Command& command, LaunchKit& kit) {
  std::string script = "#!/usr/bin/env bash\n# Run on every node";
  if (command.text().find("NODE_RANK") != std::string::npos) script += "; NODE_RANK (0 ...) and MASTER_ADDR (address of node 0) come from outside";
  script += ".\nset -euo pipefail\n";
  for (const auto& [name, value] : kit.environment.as_map())
    script += "export " + name + "=" + quoted(value.is_string() ? value.as_string() : to_json(value)) + "\n";
  kit.files.insert(kit.files.begin(), {"launch.sh", script + command.text() + "\n"});
}

}  // namespace steelyard::launch
