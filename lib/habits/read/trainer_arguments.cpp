// Arguments of transformers' Trainer and of TRL. Sources: transformers TrainingArguments, TRL SFTConfig and ModelConfig (documentation, 2026-10).
#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

void take_optimizer(Sayings& said) {
  const auto name = said.word("optim");
  if (!name) return;
  if (const auto word = optimizer_word(*name)) {
    said.take("optim", "optimizer", *word);
  } else {
    said.leave_open("optim", "no memory need is known for the optimizer '" + *name + "'");
  }
}

// FSDP through the Trainer: "full_shard auto_wrap offload".
void take_fsdp(Sayings& said) {
  const Said* options = said.find("fsdp");
  if (!options) return;
  for (const std::string& value : options->values) {
    for (const std::string& word : split(value, ' ')) {
      if (word == "full_shard") said.take("fsdp", "sharding", "fsdp");
      if (word == "shard_grad_op") said.take("fsdp", "sharding", "zero2");
      if (word == "no_shard") said.take("fsdp", "sharding", "ddp");
      if (word == "hybrid_shard") said.take("fsdp", "sharding", "hsdp");
      if (word == "hybrid_shard_zero2") said.leave_open("fsdp", "hybrid_shard_zero2 has no word here: gradients and optimizer sharded inside a node");
      if (word == "offload") said.take("fsdp", "offload", "parameters");
    }
  }
}

void take_lora(Sayings& said) {
  const bool lora = said.flag("use_peft").value_or(false) || said.flag("use_lora").value_or(false);
  if (!lora) return;
  const std::string_view key = said.has("use_peft") ? "use_peft" : "use_lora";
  const bool four = said.flag("load_in_4bit").value_or(false);
  said.take(key, "method", four ? "qlora" : "lora");
  said.take(key, "task", four ? "qlora" : "lora");
  if (four) said.take("load_in_4bit", "quantization", "nf4");
  said.count("lora_r", "lora.rank");
  said.count("lora_rank", "lora.rank");
  if (const Said* targets = said.find("lora_target_modules")) {
    const std::string all = join(targets->values, ",");
    said.take("lora_target_modules", "lora.targets", all == "all-linear" ? "all_linear" : all);
  }
}

}  // namespace

bool is_trainer_arguments(const Sayings& said) {
  return said.has("per_device_train_batch_size") || (said.has("model_name_or_path") && said.has("gradient_accumulation_steps"));
}

void read_training_arguments(Sayings& said) {
  take_model_name(said, "model_name_or_path");
  said.count("per_device_train_batch_size", "batch.micro");
  said.count("gradient_accumulation_steps", "run.accumulation");
  if (!said.has("gradient_accumulation_steps") && said.has("per_device_train_batch_size")) {
    said.assume("run.accumulation", 1, "gradient_accumulation_steps");
  }
  // max_steps outranks epochs in the Trainer; -1 means that it is not used.
  const auto steps = said.number("max_steps");
  if (steps && *steps > 0) {
    said.count("max_steps", "work.steps");
    said.ignore({"num_train_epochs"});
  } else {
    said.amount("num_train_epochs", "work.epochs");
  }
  take_precision_flags(said, "bf16", "fp16");
  take_optimizer(said);
  take_fsdp(said);
  said.leave_open("deepspeed", "names another file: give that DeepSpeed JSON beside this one");
  said.ignore({"output_dir",
               "logging_*",
               "save_*",
               "learning_rate",
               "lr_scheduler_*",
               "warmup_*",
               "weight_decay",
               "seed",
               "data_seed",
               "report_to",
               "run_name",
               "overwrite_*",
               "eval_*",
               "evaluation_*",
               "per_device_eval_batch_size",
               "do_*",
               "adam_beta1",
               "adam_beta2",
               "adam_epsilon",
               "max_grad_norm",
               "push_to_hub",
               "hub_*",
               "remove_unused_columns",
               "dataloader_*",
               "dataset_*",
               "ddp_timeout",
               "ddp_find_unused_parameters",
               "resume_from_checkpoint",
               "trust_remote_code",
               "cache_dir",
               "tokenizer_name",
               "load_best_model_at_end",
               "metric_for_best_model",
               "greater_is_better",
               "neftune_*",
               "bf16",
               "fp16",
               "tf32",
               "include_*",
               "disable_tqdm",
               "label_names",
               "local_rank",
               "group_by_length",
               "lora_alpha",
               "lora_dropout",
               "max_steps",
               "plot_loss"});
}

void read_trainer_arguments(Sayings& said) {
  said.take("per_device_train_batch_size", "software.framework", "transformers");
  take_lora(said);
  if (const auto all = said.flag("gradient_checkpointing")) said.take("gradient_checkpointing", "activation_checkpointing", *all ? "full" : "none");
  for (const char* key : {"max_length", "max_seq_length", "model_max_length", "block_size"}) said.count(key, "sequence_length");
  read_training_arguments(said);
  said.ignore({"dataset", "packing", "attn_implementation", "gradient_checkpointing_kwargs", "torch_dtype", "dtype", "load_in_4bit", "load_in_8bit",
               "lora_*", "use_peft"});
  said.finish();
}

}  // namespace steelyard::habits
