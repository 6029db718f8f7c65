// DeepSpeed's JSON. Source: deepspeed.ai/docs/config-json (2026-10).
#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

void take_stage(Sayings& said) {
  static const char* const words[] = {"ddp", "zero1", "zero2", "zero3"};
  const auto stage = said.number("zero_optimization.stage");
  if (!stage && said.has("zero_optimization.stage")) return;
  if (!stage) return said.assume("sharding", "ddp", "zero_optimization.stage");
  const int number = static_cast<int>(*stage);
  if (number < 0 || number > 3 || number != *stage) return said.leave_open("zero_optimization.stage", "expected 0, 1, 2 or 3");
  said.take("zero_optimization.stage", "sharding", words[number]);
}

void take_offload(Sayings& said) {
  // Parameters on the host include their optimizer; the wider one counts.
  const auto parameters = said.word("zero_optimization.offload_param.device"), optimizer = said.word("zero_optimization.offload_optimizer.device");
  for (const auto& [device, key] :
       {std::pair{parameters, "zero_optimization.offload_param.device"}, {optimizer, "zero_optimization.offload_optimizer.device"}}) {
    if (device == "nvme") return said.leave_open(key, "offload to NVMe has no word here");
  }
  if (said.flag("zero_optimization.cpu_offload").value_or(false)) return said.take("zero_optimization.cpu_offload", "offload", "optimizer");
  if (parameters == "cpu") return said.take("zero_optimization.offload_param.device", "offload", "parameters");
  if (optimizer == "cpu") return said.take("zero_optimization.offload_optimizer.device", "offload", "optimizer");
  const bool unclear = said.has("zero_optimization.cpu_offload_params");
  if (!parameters && !optimizer && !unclear) said.assume("offload", "none", "zero_optimization.offload_optimizer");
}

}  // namespace

bool is_deepspeed(const Sayings& said) {
  for (const char* key : {"zero_optimization.stage", "train_micro_batch_size_per_gpu", "zero_optimization", "zero_allow_untested_optimizer"}) {
    if (said.has(key)) return true;
  }
  return said.has("train_batch_size") &&
         (said.has("optimizer.type") || said.has("fp16.enabled") || said.has("bf16.enabled") || said.has("gradient_accumulation_steps"));
}

void read_deepspeed(Sayings& said) {
  said.count("train_batch_size", "batch.global");
  said.count("train_micro_batch_size_per_gpu", "batch.micro");
  said.count("gradient_accumulation_steps", "run.accumulation");
  take_precision_flags(said, "bf16.enabled", "fp16.enabled");
  take_precision_flags(said, "bfloat16.enabled", "fp16.enabled");
  take_stage(said);
  take_offload(said);
  if (const auto type = said.word("optimizer.type")) {
    const auto word = optimizer_word(*type);
    if (word) said.take("optimizer.type", "optimizer", *word);
    if (!word) said.leave_open("optimizer.type", "no memory need is known for the optimizer '" + *type + "'");
  }
  said.count("tensor_parallel.autotp_size", "parallel.tensor");
  said.ignore({"zero_optimization.*",
               "zero_optimization",
               "optimizer.*",
               "scheduler.*",
               "scheduler",
               "fp16.*",
               "bf16.*",
               "bfloat16.*",
               "gradient_clipping",
               "steps_per_print",
               "wall_clock_breakdown",
               "prescale_gradients",
               "zero_allow_untested_optimizer",
               "zero_force_ds_cpu_optimizer",
               "activation_checkpointing.*",
               "flops_profiler.*",
               "tensorboard.*",
               "wandb.*",
               "comms_logger.*",
               "communication_data_type",
               "dump_state",
               "aio.*",
               "amp.*",
               "data_types.*"});
  said.finish();
}

}  // namespace steelyard::habits
