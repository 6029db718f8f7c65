// Megatron-LM's arguments. Source: NVIDIA/Megatron-LM megatron/training/arguments.py (2026-10), with its defaults.
#include "core/text.hpp"
#include "habits/readers.hpp"

namespace steelyard::habits {

namespace {

void count_or(Sayings& said, const char* key, const char* field, int otherwise) {
  if (said.has(key)) {
    said.count(key, field);
  } else {
    said.assume(field, otherwise, key);
  }
}

void take_parallel(Sayings& said) {
  count_or(said, "tensor_model_parallel_size", "parallel.tensor", 1);
  count_or(said, "pipeline_model_parallel_size", "parallel.pipeline", 1);
  count_or(said, "context_parallel_size", "parallel.context", 1);
  count_or(said, "expert_model_parallel_size", "parallel.expert", 1);
  said.count("num_virtual_stages_per_pipeline_rank", "parallel.virtual_pipeline");
  if (const auto per_stage = said.number("num_layers_per_virtual_pipeline_stage"); per_stage && *per_stage > 0) {
    const auto layers = said.number("num_layers"), stages = said.number("pipeline_model_parallel_size");
    const double chunks = layers && stages ? *layers / *stages / *per_stage : 0;
    if (chunks >= 1 && chunks == static_cast<int>(chunks)) {
      said.take("num_layers_per_virtual_pipeline_stage", "parallel.virtual_pipeline", static_cast<int>(chunks));
    } else {
      said.leave_open("num_layers_per_virtual_pipeline_stage", "does not divide the layers of a stage, or the layers are not said");
    }
  }
  const auto sequence = said.flag("sequence_parallel");
  if (sequence) said.take("sequence_parallel", "parallel.sequence_parallel", *sequence);
  if (!said.has("sequence_parallel")) said.assume("parallel.sequence_parallel", false, "sequence_parallel");
}

void take_model(Sayings& said) {
  said.count("num_layers", "model.layers");
  said.count("hidden_size", "model.hidden");
  said.count("ffn_hidden_size", "model.ffn");
  said.count("num_attention_heads", "model.heads");
  if (said.flag("group_query_attention").value_or(false)) said.count("num_query_groups", "model.kv_heads");
  said.count("kv_channels", "model.head_dim");
  said.count("vocab_size", "model.vocab");
  said.count("num_experts", "model.experts");
  said.count("moe_router_topk", "model.experts_per_token");
  said.count("moe_ffn_hidden_size", "model.moe_ffn");
  said.count("kv_lora_rank", "model.kv_lora_rank");
  said.count("q_lora_rank", "model.q_lora_rank");
  said.count("qk_pos_emb_head_dim", "model.rope_head_dim");
  if (!said.has("num_layers")) return;
  const auto gated = said.flag("swiglu"), untied = said.flag("untie_embeddings_and_output_weights");
  if (gated) said.take("swiglu", "model.gated_mlp", *gated);
  if (!said.has("swiglu")) said.assume("model.gated_mlp", false, "swiglu");
  if (untied) said.take("untie_embeddings_and_output_weights", "model.tied_embeddings", !*untied);
  if (!said.has("untie_embeddings_and_output_weights")) said.assume("model.tied_embeddings", true, "untie_embeddings_and_output_weights");
}

void take_sharding(Sayings& said) {
  if (const auto strategy = said.word("data_parallel_sharding_strategy")) {
    const std::string word = *strategy == "optim_grads_params" ? "zero3"
                             : *strategy == "optim_grads"      ? "zero2"
                             : *strategy == "optim"            ? "zero1"
                                                               : "ddp";
    return said.take("data_parallel_sharding_strategy", "sharding", word);
  }
  if (said.flag("use_torch_fsdp2").value_or(false)) return said.take("use_torch_fsdp2", "sharding", "fsdp");
  if (const auto on = said.flag("use_distributed_optimizer")) return said.take("use_distributed_optimizer", "sharding", *on ? "zero1" : "ddp");
  if (!said.has("use_distributed_optimizer")) said.assume("sharding", "ddp", "use_distributed_optimizer");
}

void take_recomputation(Sayings& said) {
  const auto granularity = said.word("recompute_granularity");
  if (!granularity && said.has("recompute_granularity")) return;
  if (!granularity) {
    const bool flag = said.flag("recompute_activations").value_or(false);
    return flag ? said.take("recompute_activations", "activation_checkpointing", "selective")
                : said.assume("activation_checkpointing", "none", "recompute_granularity");
  }
  // Some layers of a stage whole ("block") are what the plan calls selective with recomputed layers.
  const bool some = *granularity == "full" && said.word("recompute_method").value_or("") == "block";
  if (some) said.count("recompute_num_layers", "run.recomputed_layers");
  if (*granularity == "full" || *granularity == "selective")
    said.take("recompute_granularity", "activation_checkpointing", some ? "selective" : *granularity);
}

void take_numbers(Sayings& said) {
  take_precision_flags(said, "bf16", "fp16");
  if (const auto format = said.word("fp8_format")) {
    said.take("fp8_format", "precision", "fp8");
  } else if (!said.has("bf16") && !said.has("fp16")) {
    said.assume("precision", "fp32", "bf16");
  }
  const std::string optimizer = said.word("optimizer").value_or("");
  if (optimizer == "adam") said.take("optimizer", "optimizer", "adamw");
  if (optimizer == "sgd") said.take("optimizer", "optimizer", "sgd");
  if (optimizer.empty() && !said.has("optimizer")) said.assume("optimizer", "adamw", "optimizer");
  if (const auto on = said.flag("optimizer_cpu_offload")) said.take("optimizer_cpu_offload", "offload", *on ? "optimizer" : "none");
  if (!said.has("optimizer_cpu_offload")) said.assume("offload", "none", "optimizer_cpu_offload");
  if (said.flag("finetune").value_or(false)) said.take("finetune", "task", "full_finetune");
}

}  // namespace

bool is_megatron(const Sayings& said, const std::string& script) {
  if (script.rfind("pretrain_", 0) == 0) return true;
  return said.has("tensor_model_parallel_size") || said.has("pipeline_model_parallel_size") ||
         (said.has("micro_batch_size") && said.has("num_layers"));
}

void read_megatron(Sayings& said) {
  take_parallel(said);
  take_model(said);
  take_sharding(said);
  take_recomputation(said);
  // FP8 comes beside --bf16 and is what the products are computed in.
  if (said.has("fp8_format")) said.ignore({"bf16", "fp16"});
  take_numbers(said);
  said.count("micro_batch_size", "batch.micro");
  said.count("global_batch_size", "batch.global");
  said.count("seq_length", "sequence_length");
  said.count("train_iters", "work.steps");
  said.count("train_samples", "work.samples");
  if (said.has("num_layers") || said.has("micro_batch_size")) said.assume("software.framework", "megatron-lm", "pretrain script");
  said.assume("method", "full", "training of all weights");
  said.ignore({"lr*",
               "min_lr",
               "weight_decay*",
               "adam_*",
               "clip_grad",
               "init_method_std",
               "log_*",
               "save*",
               "load*",
               "eval_*",
               "tensorboard_*",
               "wandb_*",
               "tokenizer_*",
               "vocab_file",
               "merge_file",
               "data_path",
               "data_cache_path",
               "split",
               "max_position_embeddings",
               "position_embedding_type",
               "rotary_*",
               "use_rotary_*",
               "normalization",
               "norm_epsilon",
               "disable_bias_linear",
               "attention_dropout",
               "hidden_dropout",
               "no_*",
               "distributed_backend",
               "overlap_*",
               "use_flash_attn",
               "transformer_impl",
               "use_mcore_models",
               "moe_*",
               "recompute_*",
               "make_vocab_size_divisible_by",
               "seed",
               "num_workers",
               "mock_data",
               "attention_*",
               "use_checkpoint_*",
               "exit_*",
               "timing_*",
               "ckpt_*",
               "dist_ckpt_*",
               "fp8_*",
               "cross_entropy_*",
               "manual_gc*",
               "bf16",
               "fp16",
               "optimizer_offload_fraction",
               "use_precision_aware_optimizer",
               "expert_tensor_parallel_size",
               "multi_latent_attention",
               "qk_*",
               "v_head_dim",
               "use_megatron_fsdp",
               "use_custom_fsdp",
               "finetune",
               "group_query_attention",
               "tp_comm_*",
               "account_for_*",
               "legacy_*",
               "num_query_groups",
               "distributed_timeout_minutes",
               "decoder_*",
               "apply_*",
               "accumulate_*",
               "grad_reduce_*",
               "empty_unused_*"});
  said.finish();
}

}  // namespace steelyard::habits
