// accelerate's YAML and `accelerate launch`. Source: huggingface.co/docs/accelerate (2026-10), FSDP and DeepSpeed plugins.
#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

std::optional<std::string> strategy_word(const std::string& strategy) {
  const std::string key = to_lower(strategy);
  if (key == "full_shard" || key == "1") return "fsdp";
  if (key == "shard_grad_op" || key == "2") return "zero2";
  if (key == "no_shard" || key == "3") return "ddp";
  if (key == "hybrid_shard" || key == "4") return "hsdp";
  return std::nullopt;
}

void take_fsdp(Sayings& said, const std::string& prefix) {
  const auto key = [&](const char* name) { return prefix + name; };
  if (const auto strategy = said.word(key("fsdp_sharding_strategy"))) {
    const auto word = strategy_word(*strategy);
    if (word) said.take(key("fsdp_sharding_strategy"), "sharding", *word);
    if (!word) said.leave_open(key("fsdp_sharding_strategy"), "'" + *strategy + "' has no word here");
  } else if (const auto reshard = said.word(key("fsdp_reshard_after_forward"))) {
    const auto all = truth(*reshard);
    const auto word = all ? std::optional<std::string>(*all ? "fsdp" : "zero2") : strategy_word(*reshard);
    if (word) said.take(key("fsdp_reshard_after_forward"), "sharding", *word);
  }
  if (const auto offload = said.flag(key("fsdp_offload_params"))) said.take(key("fsdp_offload_params"), "offload", *offload ? "parameters" : "none");
  if (const auto all = said.flag(key("fsdp_activation_checkpointing")); all && *all) {
    said.take(key("fsdp_activation_checkpointing"), "activation_checkpointing", "full");
  }
}

void take_deepspeed(Sayings& said, const std::string& prefix) {
  static const char* const stages[] = {"ddp", "zero1", "zero2", "zero3"};
  const std::string stage_key = prefix + "zero_stage";
  if (const auto stage = said.number(stage_key); stage && *stage >= 0 && *stage <= 3)
    said.take(stage_key, "sharding", stages[static_cast<int>(*stage)]);
  const std::string parameters = prefix + "offload_param_device", optimizer = prefix + "offload_optimizer_device";
  if (said.word(parameters) == "cpu") {
    said.word(optimizer);
    said.take(parameters, "offload", "parameters");
  } else if (said.word(optimizer) == "cpu") {
    said.take(optimizer, "offload", "optimizer");
  }
  said.count(prefix + "gradient_accumulation_steps", "run.accumulation");
  said.leave_open(prefix + "deepspeed_config_file", "names another file: give that DeepSpeed JSON beside this one");
}

void take_megatron(Sayings& said) {
  said.count("megatron_lm_config.megatron_lm_tp_degree", "parallel.tensor");
  said.count("megatron_lm_config.megatron_lm_pp_degree", "parallel.pipeline");
  if (const auto on = said.flag("megatron_lm_config.megatron_lm_sequence_parallelism")) {
    said.take("megatron_lm_config.megatron_lm_sequence_parallelism", "parallel.sequence_parallel", *on);
  }
  if (const auto on = said.flag("megatron_lm_config.megatron_lm_use_distributed_optimizer")) {
    said.take("megatron_lm_config.megatron_lm_use_distributed_optimizer", "sharding", *on ? "zero1" : "ddp");
  }
  said.count("megatron_lm_config.megatron_lm_num_micro_batches", "run.accumulation");
  if (const auto on = said.flag("megatron_lm_config.megatron_lm_recompute_activations"); on && *on) {
    said.take("megatron_lm_config.megatron_lm_recompute_activations", "activation_checkpointing", "selective");
  }
}

// What both forms say in the same words.
void take_common(Sayings& said) {
  said.count("num_processes", "run.gpus");
  said.count("num_machines", "run.nodes");
  said.count("gradient_accumulation_steps", "run.accumulation");
  const Said* precision = said.find("mixed_precision");
  if (!precision) return;
  // "no" is what the tool writes unasked; the script's own setting outranks it.
  if (to_lower(precision->text()) == "no") return said.assume("precision", "fp32", "mixed_precision");
  const auto word = precision_word(precision->text());
  if (word) said.take("mixed_precision", "precision", *word);
  if (!word) said.leave_open("mixed_precision", "expected no, fp16, bf16 or fp8");
}

}  // namespace

bool is_accelerate(const Sayings& said) { return said.has("distributed_type") || said.has("compute_environment"); }

void read_accelerate(Sayings& said) {
  const std::string type = said.word("distributed_type").value_or("");
  take_common(said);
  if (type == "FSDP") take_fsdp(said, "fsdp_config.");
  if (type == "DEEPSPEED") take_deepspeed(said, "deepspeed_config.");
  if (type == "MEGATRON_LM") take_megatron(said);
  if (type == "NO") said.take("distributed_type", "sharding", "none");
  if (type == "MULTI_GPU") said.take("distributed_type", "sharding", "ddp");
  said.count("parallelism_config.parallelism_config_tp_size", "parallel.tensor");
  said.count("parallelism_config.parallelism_config_cp_size", "parallel.context");
  said.ignore({"compute_environment",
               "debug",
               "downcast_bf16",
               "enable_cpu_affinity",
               "machine_rank",
               "main_training_function",
               "main_process_*",
               "rdzv_backend",
               "same_network",
               "tpu_*",
               "use_cpu",
               "gpu_ids",
               "fsdp_config.*",
               "deepspeed_config.*",
               "megatron_lm_config.*",
               "dynamo_config.*",
               "dynamo_backend",
               "parallelism_config.*",
               "num_machines",
               "command_file",
               "commands"});
  said.finish();
}

void read_accelerate_launch(const Words& words, const std::string& file, Notes& notes) {
  const std::vector<std::string> switches = {"multi_gpu", "use_deepspeed", "use_fsdp",  "use_megatron_lm", "cpu",         "debug",
                                             "m",         "module",        "no_python", "quiet",           "same_network"};
  const std::size_t end = end_of_options(words, switches);
  Options options = read_options({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end)}, file, switches);
  Sayings said(options.said, "accelerate launch", notes);
  note_unresolved(options, file, said);
  take_common(said);
  take_fsdp(said, "");
  take_deepspeed(said, "");
  if (said.flag("multi_gpu").value_or(false)) said.take("multi_gpu", "sharding", "ddp");
  if (said.flag("use_deepspeed").value_or(false) && !said.has("zero_stage") && !said.has("deepspeed_config_file")) {
    said.leave_open("use_deepspeed", "the stage is not said: give the DeepSpeed JSON or the accelerate YAML beside this one");
  }
  said.leave_open("config_file", "names another file: give that accelerate YAML beside this one");
  said.ignore({"use_fsdp", "use_deepspeed", "fsdp_*", "main_process_*", "machine_rank", "rdzv_*", "dynamo_*", "deepspeed_*", "m", "module", "debug",
               "same_network", "quiet"});
  said.finish();
  read_training_script({words.begin() + static_cast<std::ptrdiff_t>(end), words.end()}, file, notes);
}

}  // namespace steelyard::habits
