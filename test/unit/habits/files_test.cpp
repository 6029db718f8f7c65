#include "unit/habits/reading.hpp"

using namespace habits_test;

namespace {

const InputText train = {"train.yaml", R"(### model
model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct
stage: sft
do_train: true
finetuning_type: lora
lora_rank: 16
lora_target: all
deepspeed: ds_config.json
dataset: alpaca_en
template: llama3
cutoff_len: 2048
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
learning_rate: 1.0e-4
num_train_epochs: 3.0
bf16: true
)"};
const InputText zero = {"ds_config.json", R"({
  "train_micro_batch_size_per_gpu": "auto",
  "gradient_accumulation_steps": "auto",
  "train_batch_size": "auto",
  "bf16": {"enabled": "auto"},
  "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu", "pin_memory": true}, "overlap_comm": true}
})"};
const InputText shape = {"config.json",
                         R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 30,
  "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192,
  "tie_word_embeddings": false, "torch_dtype": "bfloat16", "rope_theta": 500000.0})"};

}  // namespace

TEST_CASE("LLaMA-Factory, DeepSpeed and a launcher are one job") {
  const Understanding all =
      understand({train, zero, {"run.sh", "torchrun --nproc_per_node 8 --nnodes 2 --node_rank $RANK src/train.py train.yaml\n"}});
  CHECK(at(all, "task") == "lora");
  CHECK(at(all, "lora.rank") == "16");
  CHECK(at(all, "lora.targets") == "all_linear");
  CHECK(at(all, "sequence_length") == "2048");
  CHECK(at(all, "batch.micro") == "2");
  CHECK(at(all, "sharding") == "zero3");
  CHECK(at(all, "offload") == "optimizer");
  CHECK(at(all, "precision") == "bf16");
  CHECK(at(all, "work.epochs") == "3");
  CHECK(at(all, "run.data") == "16");
  CHECK(at(all, "batch.global") == "256");
  CHECK(asks(all, "work.dataset_samples"));
  CHECK(is_open(all, "train_batch_size"));
  CHECK_FALSE(is_open(all, "deepspeed"));
  const auto plan = plan_of(all);
  REQUIRE(plan);
  CHECK(plan->accumulation == 8);
  CHECK(parse_workload(to_json(all.workload), "job", Catalog::embedded()));
}

TEST_CASE("every statement keeps its place and every key is accounted for") {
  const Understanding all = understand({train});
  bool found = false;
  for (const Understood& one : all.understood) {
    if (one.key != "cutoff_len") continue;
    found = one.where == SourceLocation{"train.yaml", 11, 1};
  }
  CHECK(found);
  CHECK(is_open(all, "deepspeed"));
  CHECK(std::find(all.without_effect.begin(), all.without_effect.end(), "learning_rate") != all.without_effect.end());
}

TEST_CASE("what is auto or not said stays open") {
  const Understanding all = understand({zero});
  CHECK(at(all, "batch.micro").empty());
  CHECK(at(all, "precision").empty());
  CHECK(is_open(all, "bf16.enabled"));
  CHECK(asks(all, "task"));
  CHECK(asks(all, "model"));
  CHECK_FALSE(plan_of(all));
}

TEST_CASE("a config.json alone gives the shape, with the size that follows from it") {
  const Understanding all = understand({shape, {"flags.yaml", "task: pretrain\nsequence_length: 4096\n"}});
  CHECK(at(all, "model.layers") == "30");
  CHECK(at(all, "model.gated_mlp") == "true");
  const auto workload = parse_workload(to_json(all.workload), "job", Catalog::embedded());
  REQUIRE(workload);
  REQUIRE(workload.value->model);
  CHECK(*workload.value->model->params_b > 7);
  CHECK(*workload.value->model->params_b < 8.1);
}

TEST_CASE("a name and a shape that don't belong together are an error with both places") {
  const auto loaded = understand_inputs({train, shape}, Catalog::embedded());
  REQUIRE_FALSE(loaded);
  const std::string message = to_string(loaded.issues.front());
  CHECK(message.find("train.yaml:2:1") != std::string::npos);
  CHECK(message.find("config.json:1") != std::string::npos);
}

TEST_CASE("two files that contradict each other are an error with both places") {
  const InputText other = {"zero.json", "{\"train_micro_batch_size_per_gpu\": 4,\n \"zero_optimization\": {\"stage\": 2}}"};
  const auto loaded = understand_inputs({train, other}, Catalog::embedded());
  REQUIRE_FALSE(loaded);
  REQUIRE(loaded.issues.size() == 1);
  const std::string message = to_string(loaded.issues.front());
  CHECK(message.find("zero.json:1:2: batch.micro: 4 here") != std::string::npos);
  CHECK(message.find("2 at train.yaml:12:1 (per_device_train_batch_size)") != std::string::npos);
}

TEST_CASE("a global batch that the parts do not give is an error") {
  const InputText config = {
      "ds.json",
      R"({"train_batch_size": 100, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4, "zero_optimization": {"stage": 1}})"};
  CHECK_FALSE(understand_inputs({config, {"run.sh", "deepspeed --num_gpus 8 train.py\n"}}, Catalog::embedded()));
  const InputText silent = {"ds.json", R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 1}})"};
  CHECK(at(understand({silent, {"run.sh", "deepspeed --num_gpus 8 train.py\n"}}), "run.accumulation") == "8");
}

TEST_CASE("accelerate's FSDP configuration") {
  const Understanding all = understand({{"a.yaml", R"(compute_environment: LOCAL_MACHINE
distributed_type: FSDP
mixed_precision: bf16
num_machines: 2
num_processes: 16
fsdp_config:
  fsdp_sharding_strategy: HYBRID_SHARD
  fsdp_offload_params: false
  fsdp_activation_checkpointing: true
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
)"}});
  CHECK(at(all, "sharding") == "hsdp");
  CHECK(at(all, "activation_checkpointing") == "full");
  CHECK(at(all, "offload") == "none");
  CHECK(at(all, "run.gpus_per_node") == "8");
  CHECK(at(all, "precision") == "bf16");
}

TEST_CASE("accelerate's mixed_precision no does not outrank the trainer") {
  const InputText accelerate = {"a.yaml", "distributed_type: MULTI_GPU\nmixed_precision: 'no'\nnum_processes: 4\nnum_machines: 1\n"};
  CHECK(at(understand({accelerate}), "precision") == "fp32");
  CHECK(at(understand({accelerate, train}), "precision") == "bf16");
}

TEST_CASE("axolotl") {
  const Understanding all = understand({{"q.yml", R"(base_model: NousResearch/Meta-Llama-3-8B
adapter: qlora
load_in_4bit: true
datasets:
  - path: mhenrichsen/alpaca_2k_test
    type: alpaca
sequence_len: 4096
lora_r: 32
lora_target_linear: true
micro_batch_size: 2
gradient_accumulation_steps: 4
num_epochs: 4
optimizer: paged_adamw_8bit
bf16: auto
gradient_checkpointing: true
)"}});
  CHECK(at(all, "task") == "qlora");
  CHECK(at(all, "quantization") == "nf4");
  CHECK(at(all, "optimizer") == "adam8bit");
  CHECK(at(all, "activation_checkpointing") == "full");
  CHECK(at(all, "precision").empty());
  CHECK(is_open(all, "bf16"));
}

TEST_CASE("a mixture of experts with latent attention") {
  const Understanding all =
      understand({{"config.json", R"({"model_type": "deepseek_v2", "hidden_size": 5120, "num_hidden_layers": 60, "num_attention_heads": 128,
    "intermediate_size": 12288, "moe_intermediate_size": 1536, "n_routed_experts": 160, "n_shared_experts": 2, "num_experts_per_tok": 6, "first_k_dense_replace": 1,
    "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "vocab_size": 102400, "tie_word_embeddings": false})"},
                  {"w.yaml", "task: llm_inference\n"}});
  const auto workload = parse_workload(to_json(all.workload), "job", Catalog::embedded());
  REQUIRE(workload);
  CHECK(workload.value->model->kind == "llm-moe");
  CHECK(*workload.value->model->params_b > 230);
  CHECK(*workload.value->model->params_b < 241);
}

TEST_CASE("foreign text is refused, a broken file says where") {
  const auto foreign = understand_inputs({{"poem.txt", "roses are red\nviolets are blue\n"}}, Catalog::embedded());
  REQUIRE_FALSE(foreign);
  CHECK(foreign.issues.front().message.find("no known format") != std::string::npos);
  const auto broken = understand_inputs({{"ds.json", "{\"zero_optimization\": {\"stage\": 3},\n  oops"}}, Catalog::embedded());
  REQUIRE_FALSE(broken);
  CHECK(broken.issues.front().where.line > 0);
}

TEST_CASE("our own workload files are recognised as such") {
  CHECK(recognise_input({"w", "task: lora\nmodel: x\n"}) == "workload");
  CHECK(recognise_input({"w", "{\"model\": \"x\", \"sequence_length\": 4}"}).empty());
}
