// DeepSpeed under torchrun: ds_config.json and the command.
#include "launch/writers.hpp"

namespace steelyard::launch {

namespace {

int stage(const std::string& sharding) {
  if (sharding == "zero1") return 1;
  if (sharding == "zero2") return 2;
  return sharding == "zero3" || sharding == "fsdp" ? 3 : 0;
}

Value zero_section(const Plan& plan) {
  Value zero = Value::map();
  zero["stage"] = stage(plan.sharding);
  const bool parameters = plan.offload == "parameters", optimizer = parameters || plan.offload == "optimizer";
  zero["offload_optimizer"]["device"] = optimizer ? "cpu" : "none";
  zero["offload_param"]["device"] = parameters ? "cpu" : "none";
  if (stage(plan.sharding) == 3) zero["stage3_gather_16bit_weights_on_model_save"] = true;
  return zero;
}

}  // namespace

void write_deepspeed(const Job& job, LaunchKit& kit) {
  const Plan& plan = job.plan;
  const std::string precision = precision_of(job.workload);
  Value config = Value::map();
  config["train_batch_size"] = plan.global_batch;
  config["train_micro_batch_size_per_gpu"] = plan.micro_batch;
  config["gradient_accumulation_steps"] = plan.accumulation;
  config["bf16"]["enabled"] = precision == "bf16";
  config["fp16"]["enabled"] = precision == "fp16";
  if (optimizer_of(job.workload) == "adamw") {
    // DeepSpeed steps the states itself (on the CPU where they are offloaded); the Trainer fills in its own figures.
    config["optimizer"]["type"] = "AdamW";
    for (const char* key : {"lr", "betas", "eps", "weight_decay"}) config["optimizer"]["params"][key] = "auto";
  } else if (plan.offload != "none") {
    config["zero_force_ds_cpu_optimizer"] = false;
  }
  config["gradient_clipping"] = "auto";
  config["zero_optimization"] = zero_section(plan);
  Command command = torchrun(job.lies);
  add_trainer_arguments(job, command, kit);
  command.option("--gradient_checkpointing", plan.activation_checkpointing == "full" ? "true" : "false").option("--deepspeed", "ds_config.json");
  kit.files.push_back({"ds_config.json", to_json(config, 2) + "\n"});
  add_script(command, kit);
}

}  // namespace steelyard::launch
