// Megatron-LM: everything is an argument of pretrain_gpt.py, the shape of the model too.
#include <cmath>

#include "launch/writers.hpp"

namespace steelyard::launch {

namespace {

void add(Command& command, const char* name, const std::optional<int>& value) {
  if (value) command.option(name, *value);
}

void add_attention(const Model& model, Command& command) {
  if (model.kv_lora_rank) {
    command.option("--multi-latent-attention").option("--kv-lora-rank", *model.kv_lora_rank);
    add(command, "--q-lora-rank", model.q_lora_rank);
    add(command, "--qk-pos-emb-head-dim", model.rope_head_dim);
    if (model.head_dim && model.rope_head_dim) command.option("--qk-head-dim", *model.head_dim - *model.rope_head_dim);
    return;
  }
  if (model.kv_heads && *model.kv_heads != *model.heads) command.option("--group-query-attention").option("--num-query-groups", *model.kv_heads);
  add(command, "--kv-channels", model.head_dim);
}

void add_model(const Model& model, Command& command) {
  command.option("--num-layers", *model.layers).option("--hidden-size", *model.hidden).option("--num-attention-heads", *model.heads);
  command.option("--ffn-hidden-size", model.ffn.value_or(model.moe_ffn.value_or(0)));
  add_attention(model, command);
  add(command, "--vocab-size", model.vocab);
  if (model.gated_mlp.value_or(true)) command.option("--swiglu");
  if (!model.tied_embeddings.value_or(false)) command.option("--untie-embeddings-and-output-weights");
  if (model.experts == 0) return;
  command.option("--num-experts", model.experts).option("--moe-router-topk", model.experts_per_token).option("--moe-grouped-gemm");
  add(command, "--moe-ffn-hidden-size", model.moe_ffn);
  if (model.shared_experts > 0 && model.moe_ffn)
    command.option("--moe-shared-expert-intermediate-size", static_cast<long long>(model.shared_experts) * *model.moe_ffn);
  if (model.first_dense_layers > 0) {
    const int mixed = *model.layers - model.first_dense_layers;
    command.option("--moe-layer-freq", quoted("([0]*" + std::to_string(model.first_dense_layers) + "+[1]*" + std::to_string(mixed) + ")"));
  }
}

void add_split(const Plan& plan, Command& command) {
  command.option("--tensor-model-parallel-size", plan.tensor).option("--pipeline-model-parallel-size", plan.pipeline);
  command.option("--context-parallel-size", plan.context).option("--expert-model-parallel-size", plan.expert);
  // The plan counts experts over tensor ranks too; an expert itself is not split.
  if (plan.expert > 1) command.option("--expert-tensor-parallel-size", 1);
  if (plan.virtual_pipeline > 1) command.option("--num-virtual-stages-per-pipeline-rank", plan.virtual_pipeline);
  if (plan.sequence_parallel) command.option("--sequence-parallel");
}

void add_states(const Plan& plan, Command& command) {
  if (plan.sharding == "zero1") command.option("--use-distributed-optimizer");
  if (plan.sharding == "zero2" || plan.sharding == "zero3") {
    command.option("--use-distributed-optimizer").option("--use-megatron-fsdp");
    command.option("--data-parallel-sharding-strategy", plan.sharding == "zero2" ? "optim_grads" : "optim_grads_params");
  }
  if (plan.offload == "optimizer")
    command.option("--optimizer-cpu-offload").option("--optimizer-offload-fraction", "1.0").option("--use-precision-aware-optimizer");
}

void add_recomputation(const Plan& plan, Command& command) {
  if (plan.activation_checkpointing == "none") return;
  if (plan.activation_checkpointing == "selective" && plan.recomputed_layers == 0) {
    command.option("--recompute-granularity", "selective");
    return;
  }
  const bool some = plan.activation_checkpointing == "selective";
  command.option("--recompute-granularity", "full").option("--recompute-method", some ? "block" : "uniform");
  command.option("--recompute-num-layers", some ? plan.recomputed_layers : 1);
}

void add_work(const Job& job, Command& command, LaunchKit& kit) {
  const Work& work = job.workload.work;
  const auto sequence = job.workload.sequence_length;
  if (work.steps) {
    command.option("--train-iters", static_cast<long long>(*work.steps));
  } else if (work.samples) {
    command.option("--train-samples", static_cast<long long>(*work.samples));
  } else if (work.tokens && sequence) {
    command.option("--train-iters", static_cast<long long>(std::ceil(*work.tokens / (static_cast<double>(*sequence) * job.plan.global_batch))));
  } else {
    command.option("--train-iters", "\"$TRAIN_ITERS\"");
    kit.notes.push_back("TRAIN_ITERS: the workload does not say how many steps");
  }
}

void add_numbers(const Job& job, Command& command) {
  const std::string precision = precision_of(job.workload);
  if (precision == "fp8") command.option("--bf16").option("--fp8-format", "hybrid");
  if (precision == "bf16" || precision == "fp16") command.option("--" + precision);
  command.option("--optimizer", optimizer_of(job.workload) == "sgd" ? "sgd" : "adam");
}

}  // namespace

void write_megatron(const Job& job, LaunchKit& kit) {
  const Workload& workload = job.workload;
  Command command = torchrun(job.lies);
  command.option("pretrain_gpt.py");
  if (workload.task != "pretrain") command.option("--finetune").option("--load", "\"$CHECKPOINT\"");
  add_model(*workload.model, command);
  if (workload.sequence_length)
    command.option("--seq-length", *workload.sequence_length).option("--max-position-embeddings", *workload.sequence_length);
  add_split(job.plan, command);
  add_states(job.plan, command);
  add_recomputation(job.plan, command);
  command.option("--micro-batch-size", job.plan.micro_batch).option("--global-batch-size", job.plan.global_batch);
  add_numbers(job, command);
  add_work(job, command, kit);
  command.option("--data-path", "\"$DATA_PATH\"");
  const std::string name = model_name(workload);
  if (!name.empty()) command.option("--tokenizer-type", "HuggingFaceTokenizer").option("--tokenizer-model", quoted(name));
  kit.notes.push_back("Run it in a checkout of Megatron-LM; DATA_PATH names the preprocessed data" +
                      std::string(workload.task != "pretrain" ? ", CHECKPOINT the converted weights to start from" : "") +
                      "; add learning rate and schedule");
  if (workload.model->kv_lora_rank) kit.notes.push_back("Latent attention: add --v-head-dim and the rope settings of the model");
  add_script(command, kit);
}

}  // namespace steelyard::launch
