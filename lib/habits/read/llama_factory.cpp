// LLaMA-Factory's YAML. Source: LLaMA-Factory src/llamafactory/hparams and examples (2026-10).
#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

void take_task(Sayings& said) {
  const std::string stage = said.word("stage").value_or("sft"), type = said.word("finetuning_type").value_or("lora");
  const bool four = said.number("quantization_bit").value_or(0) == 4;
  const char* stage_key = said.has("stage") ? "stage" : "finetuning_type";
  if (type == "lora") {
    said.take("finetuning_type", "method", four ? "qlora" : "lora");
  } else if (type == "full" || type == "freeze") {
    said.take("finetuning_type", "method", type);
  } else {
    said.leave_open("finetuning_type", "expected lora, full or freeze, found '" + type + "'");
  }
  if (stage == "sft" || stage == "pt") {
    const bool adapter = type == "lora";
    said.take(stage_key, "task", adapter ? (four ? "qlora" : "lora") : stage == "pt" && type == "full" ? "pretrain" : "full_finetune");
  } else if (stage == "ppo" || stage == "dpo" || stage == "kto" || stage == "rm") {
    said.take(stage_key, "task", "rl_post_training");
  } else {
    said.leave_open("stage", "expected pt, sft, rm, ppo, dpo or kto, found '" + stage + "'");
  }
}

void take_quantization(Sayings& said) {
  const auto bits = said.number("quantization_bit");
  if (!bits) return;
  const std::string method = said.word("quantization_method").value_or("bnb");
  if (method != "bitsandbytes" && method != "bnb") {
    said.leave_open("quantization_method", "only bitsandbytes has a known format here");
  } else if (*bits == 4) {
    said.take("quantization_bit", "quantization", "nf4");
  } else if (*bits == 8) {
    said.take("quantization_bit", "quantization", "int8");
  } else {
    said.leave_open("quantization_bit", "expected 4 or 8");
  }
}

void take_lora(Sayings& said) {
  if (said.has("lora_rank")) {
    said.count("lora_rank", "lora.rank");
  } else if (said.word("finetuning_type").value_or("") == "lora") {
    said.assume("lora.rank", 8, "lora_rank");
  }
  const Said* targets = said.find("lora_target");
  if (!targets) return;
  const std::string all = join(targets->values, ",");
  said.take("lora_target", "lora.targets", all == "all" ? "all_linear" : all);
}

}  // namespace

bool is_llama_factory(const Sayings& said) {
  if (!said.has("model_name_or_path")) return false;
  for (const char* key : {"finetuning_type", "stage", "template", "cutoff_len"}) {
    if (said.has(key)) return true;
  }
  return false;
}

void read_llama_factory(Sayings& said) {
  said.take("model_name_or_path", "software.framework", "LLaMA-Factory");
  take_task(said);
  take_quantization(said);
  take_lora(said);
  said.count("cutoff_len", "sequence_length");
  if (said.flag("disable_gradient_checkpointing").value_or(false)) {
    said.take("disable_gradient_checkpointing", "activation_checkpointing", "none");
  } else {
    said.assume("activation_checkpointing", "full", "disable_gradient_checkpointing");
  }
  if (said.flag("pure_bf16").value_or(false))
    said.leave_open("pure_bf16", "states in bf16 only have no word here; bf16 with fp32 states is what counts");
  said.leave_open("max_samples", "a bound of the samples of each data set, not their number: state work.dataset_samples");
  said.leave_open("dataset", "the number of its samples is not in this file: state work.dataset_samples");
  read_training_arguments(said);
  said.ignore({"template",
               "flash_attn",
               "packing",
               "neat_packing",
               "val_size",
               "tokenized_path",
               "streaming",
               "media_dir",
               "image_max_pixels",
               "video_max_pixels",
               "preprocessing_*",
               "use_*",
               "rope_scaling",
               "enable_liger_kernel",
               "upcast_*",
               "pref_*",
               "double_quantization",
               "infer_backend",
               "additional_target",
               "freeze_*",
               "resize_vocab",
               "new_special_tokens",
               "predict_with_generate"});
  said.finish();
}

}  // namespace steelyard::habits
