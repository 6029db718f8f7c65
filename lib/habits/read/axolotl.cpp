// axolotl's YAML. Source: docs.axolotl.ai/docs/config-reference.html (2026-10).
#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

void take_task(Sayings& said) {
  const std::string adapter = said.word("adapter").value_or("");
  const char* key = said.has("adapter") ? "adapter" : "base_model";
  const std::string task = adapter.empty() ? "full_finetune" : adapter;
  if (task != "full_finetune" && task != "lora" && task != "qlora")
    return said.leave_open("adapter", "expected lora or qlora, found '" + adapter + "'");
  said.take(key, "method", adapter.empty() ? "full" : adapter);
  if (adapter == "qlora") said.take(key, "quantization", "nf4");
  if (said.word("rl")) return said.take("rl", "task", "rl_post_training");
  said.take(key, "task", task);
}

void take_lora(Sayings& said) {
  said.count("lora_r", "lora.rank");
  if (said.flag("lora_target_linear").value_or(false)) return said.take("lora_target_linear", "lora.targets", "all_linear");
  if (const Said* targets = said.find("lora_target_modules")) said.take("lora_target_modules", "lora.targets", join(targets->values, ","));
}

void take_sharding(Sayings& said) {
  if (const Said* options = said.find("fsdp")) {
    for (const std::string& word : options->values) {
      if (word == "full_shard") said.take("fsdp", "sharding", "fsdp");
      if (word == "shard_grad_op") said.take("fsdp", "sharding", "zero2");
      if (word == "hybrid_shard") said.take("fsdp", "sharding", "hsdp");
    }
  }
  if (const auto strategy = said.word("fsdp_config.fsdp_sharding_strategy")) {
    if (*strategy == "FULL_SHARD") said.take("fsdp_config.fsdp_sharding_strategy", "sharding", "fsdp");
    if (*strategy == "SHARD_GRAD_OP") said.take("fsdp_config.fsdp_sharding_strategy", "sharding", "zero2");
    if (*strategy == "HYBRID_SHARD") said.take("fsdp_config.fsdp_sharding_strategy", "sharding", "hsdp");
  }
  const bool second = said.number("fsdp_version").value_or(1) == 2;
  if (second && said.has("fsdp_config.reshard_after_forward")) {
    const bool all = said.flag("fsdp_config.reshard_after_forward").value_or(true);
    said.take("fsdp_config.reshard_after_forward", "sharding", all ? "fsdp" : "zero2");
  }
  for (const char* key : {"fsdp_config.fsdp_offload_params", "fsdp_config.offload_params"}) {
    if (said.flag(key).value_or(false)) said.take(key, "offload", "parameters");
  }
}

}  // namespace

bool is_axolotl(const Sayings& said) {
  if (!said.has("base_model")) return false;
  for (const char* key : {"adapter", "micro_batch_size", "sequence_len", "datasets", "num_epochs"}) {
    if (said.has(key)) return true;
  }
  return false;
}

void read_axolotl(Sayings& said) {
  said.take("base_model", "software.framework", "axolotl");
  take_model_name(said, "base_model");
  take_task(said);
  take_lora(said);
  take_sharding(said);
  said.count("sequence_len", "sequence_length");
  said.count("micro_batch_size", "batch.micro");
  said.count("gradient_accumulation_steps", "run.accumulation");
  if (!said.has("gradient_accumulation_steps")) said.assume("run.accumulation", 1, "gradient_accumulation_steps");
  said.count("max_steps", "work.steps");
  if (!said.has("max_steps")) said.amount("num_epochs", "work.epochs");
  take_precision_flags(said, "bf16", "fp16");
  if (const auto name = said.word("optimizer")) {
    const auto word = optimizer_word(*name);
    if (word) said.take("optimizer", "optimizer", *word);
    if (!word) said.leave_open("optimizer", "no memory need is known for the optimizer '" + *name + "'");
  }
  if (const auto value = said.word("gradient_checkpointing")) {
    const auto all = truth(*value);
    if (all) said.take("gradient_checkpointing", "activation_checkpointing", *all ? "full" : "none");
    if (!all) said.leave_open("gradient_checkpointing", "'" + *value + "' moves or splits checkpoints in a way that has no word here");
  }
  said.count("tensor_parallel_size", "parallel.tensor");
  said.count("context_parallel_size", "parallel.context");
  said.count("sequence_parallel_degree", "parallel.context");
  said.leave_open("deepspeed", "names another file: give that DeepSpeed JSON beside this one");
  said.leave_open("datasets", "the number of their samples is not in this file: state work.dataset_samples");
  said.ignore({"num_epochs",
               "load_in_4bit",
               "load_in_8bit",
               "model_type",
               "tokenizer_*",
               "trust_remote_code",
               "val_set_size",
               "output_dir",
               "dataset_*",
               "lora_*",
               "wandb_*",
               "mlflow_*",
               "learning_rate",
               "lr_scheduler",
               "cosine_*",
               "train_on_inputs",
               "group_by_length",
               "tf32",
               "bf16",
               "fp16",
               "logging_steps",
               "flash_attention",
               "sdp_attention",
               "xformers_attention",
               "warmup_*",
               "evals_per_epoch",
               "eval_*",
               "saves_per_epoch",
               "save_*",
               "weight_decay",
               "special_tokens.*",
               "special_tokens",
               "sample_packing",
               "eval_sample_packing",
               "pad_to_sequence_len",
               "strict",
               "debug",
               "early_stopping_patience",
               "resume_from_checkpoint",
               "local_rank",
               "hub_*",
               "seed",
               "fsdp_config.*",
               "fsdp_version",
               "plugins",
               "liger_*",
               "chat_template",
               "gradient_checkpointing_kwargs.*",
               "max_grad_norm",
               "adam_*",
               "shuffle_*",
               "test_datasets",
               "num_epochs"});
  said.finish();
}

}  // namespace steelyard::habits
