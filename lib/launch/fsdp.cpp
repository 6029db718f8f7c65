// accelerate with FSDP (or plain data parallelism): accelerate.yaml and the command.
#include "launch/writers.hpp"

namespace steelyard::launch {

namespace {

const char* strategy(const std::string& sharding) {
  if (sharding == "zero2") return "SHARD_GRAD_OP";
  return sharding == "hsdp" ? "HYBRID_SHARD" : "FULL_SHARD";
}

std::string fsdp_section(const Plan& plan) {
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  return std::string("fsdp_config:\n  fsdp_version: 1\n  fsdp_sharding_strategy: ") + strategy(plan.sharding) +
         "\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n  fsdp_backward_prefetch: BACKWARD_PRE\n  fsdp_offload_params: " +
         truth(plan.offload == "parameters") + "\n  fsdp_activation_checkpointing: " + truth(plan.activation_checkpointing == "full") +
         "\n  fsdp_cpu_ram_efficient_loading: true\n  fsdp_sync_module_states: true\n  fsdp_use_orig_params: true\n  fsdp_state_dict_type: "
         "SHARDED_STATE_DICT\n";
}

}  // namespace

void write_fsdp(const Job& job, LaunchKit& kit) {
  const bool sharded = job.plan.sharding != "ddp" && job.plan.sharding != "none";
  const int processes = job.lies.nodes * job.lies.per_node;
  const std::string precision = precision_of(job.workload);
  std::string yaml = "compute_environment: LOCAL_MACHINE\ndistributed_type: ";
  yaml += sharded ? "FSDP" : processes > 1 ? "MULTI_GPU" : "NO";
  yaml += "\nmixed_precision: '" + (precision == "fp32" ? "no" : precision) + "'\nnum_machines: " + std::to_string(job.lies.nodes) +
          "\nnum_processes: " + std::to_string(processes) +
          "\nmachine_rank: 0\nmain_process_port: 29500\nmain_training_function: main\nrdzv_backend: static\nsame_network: true\nuse_cpu: false\n";
  if (sharded) yaml += fsdp_section(job.plan);
  Command command("accelerate launch");
  command.option("--config_file", "accelerate.yaml");
  if (job.lies.nodes > 1) command.option("--machine_rank", "\"$NODE_RANK\"").option("--main_process_ip", "\"$MASTER_ADDR\"");
  add_trainer_arguments(job, command, kit);
  // Under FSDP the wrapper checkpoints; the Trainer's own switch would do it a second time.
  if (!sharded) command.option("--gradient_checkpointing", job.plan.activation_checkpointing == "full" ? "true" : "false");
  kit.files.push_back({"accelerate.yaml", std::move(yaml)});
  add_script(command, kit);
}

}  // namespace steelyard::launch
