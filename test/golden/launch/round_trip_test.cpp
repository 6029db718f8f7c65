// What the kit writes, the readers read back: the same plan, for decisions of the engine and for every plan that a program can carry out.
#include <algorithm>
#include <steelyard/advisor.hpp>
#include <steelyard/habits.hpp>
#include <steelyard/launch.hpp>

#include "support/catch.hpp"

using namespace steelyard;

namespace {

/// A plan as the program of the kit knows it: full sharding has two names, one copy has no sharding, choices are not remembered.
Plan as_program_knows(Plan plan, const std::string& framework) {
  plan.filled_in.clear();
  if (plan.sharding == "zero3" && framework == "fsdp") plan.sharding = "fsdp";
  if (plan.sharding == "fsdp" && framework == "deepspeed") plan.sharding = "zero3";
  if (plan.sharding == "none" && framework != "vllm" && framework != "sglang" && plan.data * plan.tensor * plan.pipeline * plan.context == 1)
    plan.sharding = "ddp";
  if (plan.sharding == "none" && plan.data == 1) plan.sharding = framework == "vllm" || framework == "sglang" ? "none" : "ddp";
  if (framework == "vllm" || framework == "sglang") {
    plan.micro_batch = plan.global_batch = plan.accumulation = 1;
    plan.sequence_parallel = false;
  }
  if (plan.sharding != "hsdp") plan.shard_group = 0;
  return plan;
}

Understanding read_back(const LaunchKit& kit) {
  std::vector<InputText> inputs;
  for (const LaunchFile& file : kit.files) inputs.push_back({file.name, file.text});
  Loaded<Understanding> read = understand_inputs(inputs, Catalog::embedded());
  for (const Issue& issue : read.issues) UNSCOPED_INFO(to_string(issue));
  REQUIRE(read);
  return std::move(*read.value);
}

std::string shown(const Plan& plan) {
  OfferLaunch launch;
  launch.plan = plan;
  return to_json(*to_value(launch).find("plan"));
}

void check_round_trip(const Workload& workload, const Configuration& configuration, const Plan& plan, const LaunchKit& kit) {
  for (const LaunchFile& file : kit.files) UNSCOPED_INFO(file.name << "\n" << file.text);
  const Understanding all = read_back(kit);
  const auto read = plan_of(all);
  REQUIRE(read);
  CHECK(shown(as_program_knows(*read, kit.framework)) == shown(as_program_knows(plan, kit.framework)));
  if (workload.sequence_length) CHECK(all.workload.find("sequence_length")->as_int() == *workload.sequence_length);
  if (workload.lora) CHECK(all.workload.at_path("lora.rank")->as_int() == workload.lora->rank);
  if (!workload.precision.empty()) CHECK(all.workload.find("precision")->as_string() == workload.precision);
  (void)configuration;
}

Workload job(const std::string& yaml) { return value_or_throw(parse_workload(yaml, "job", Catalog::embedded())); }

Configuration box(const std::string& gpu, int per_node, int nodes) {
  return value_or_throw(parse_configuration(
      "{gpu: " + gpu + ", gpus_per_node: " + std::to_string(per_node) + ", nodes: " + std::to_string(nodes) +
          ", intra_node: nvlink, host_memory_gib: 2048, inter_node: {kind: infiniband, gbit_per_s_per_node: 3200, gpudirect: true}}",
      "box", Catalog::embedded()));
}

struct Golden {
  const char* name;
  const char* workload;
  Configuration configuration;
  const char* framework;
};

std::vector<Golden> goldens() {
  return {
      {"LoRA on one card",
       "{task: lora, model: meta-llama/Meta-Llama-3-8B, sequence_length: 2048, batch: {global: 8}, lora: {rank: 16}, precision: bf16}",
       box("RTX4090-24GB", 1, 1), "fsdp"},
      {"QLoRA under DeepSpeed",
       "{task: qlora, model: meta-llama/Meta-Llama-3-8B, quantization: nf4, sequence_length: 1024, batch: {micro: 1, global: 16}, lora: {rank: 8}, "
       "sharding: zero2, "
       "parallel: {tensor: 1, pipeline: 1}, activation_checkpointing: full, software: {framework: deepspeed}}",
       box("A100-SXM4-80GB", 4, 1), "deepspeed"},
      {"full 8B under FSDP",
       "{task: full_finetune, model: meta-llama/Meta-Llama-3-8B, sequence_length: 4096, batch: {global: 64}, sharding: fsdp, parallel: {tensor: 1, "
       "pipeline: 1}, "
       "activation_checkpointing: full, software: {framework: pytorch}}",
       box("A100-SXM4-80GB", 8, 1), "fsdp"},
      {"hybrid sharding over two nodes",
       "{task: full_finetune, model: meta-llama/Meta-Llama-3-8B, sequence_length: 2048, batch: {micro: 1, global: 32}, sharding: hsdp, "
       "parallel: {tensor: 1, pipeline: 1}, activation_checkpointing: full, software: {framework: pytorch}}",
       box("H100-SXM5-80GB", 8, 2), "fsdp"},
      {"ZeRO-3 with offload",
       "{task: full_finetune, model: meta-llama/Meta-Llama-3-8B, sequence_length: 2048, batch: {micro: 1, global: 16}, sharding: zero3, offload: "
       "optimizer, "
       "parallel: {tensor: 1, pipeline: 1}, activation_checkpointing: full, software: {framework: deepspeed}}",
       box("A100-SXM4-80GB", 2, 1), "deepspeed"},
      {"70B by Megatron-LM",
       "{task: pretrain, model: meta-llama/Meta-Llama-3-70B, sequence_length: 8192, batch: {global: 256}, precision: bf16, work: {tokens: 1e9}, "
       "parallel: {tensor: 8, pipeline: 4, virtual_pipeline: 5}, software: {framework: megatron-lm}}",
       box("H100-SXM5-80GB", 8, 8), "megatron"},
      {"experts spread by Megatron-LM",
       "{task: pretrain, model: mistralai/Mixtral-8x7B-v0.1, sequence_length: 4096, batch: {global: 256}, precision: bf16, "
       "parallel: {tensor: 2, pipeline: 1, expert: 8}, sharding: zero1, software: {framework: megatron-lm}}",
       box("H100-SXM5-80GB", 8, 4), "megatron"},
      {"vLLM on two cards",
       "{task: llm_inference, model: meta-llama/Meta-Llama-3-70B, precision: bf16, parallel: {tensor: 2}, serving: {engine: vllm, input_tokens: 512, "
       "output_tokens: 256, max_model_len: 8192}}",
       box("H200-SXM-141GB", 2, 1), "vllm"},
      {"vLLM with copies on two nodes",
       "{task: llm_inference, model: meta-llama/Meta-Llama-3-8B, precision: bf16, parallel: {tensor: 2, pipeline: 1}, serving: {engine: vllm, "
       "input_tokens: 512, "
       "output_tokens: 256}}",
       box("H100-SXM5-80GB", 8, 2), "vllm"},
      {"SGLang",
       "{task: llm_inference, model: deepseek-ai/DeepSeek-V3, precision: fp8, parallel: {tensor: 8}, serving: {engine: sglang, input_tokens: 1024, "
       "output_tokens: 512, "
       "max_model_len: 32768}}",
       box("H200-SXM-141GB", 8, 1), "sglang"},
  };
}

}  // namespace

TEST_CASE("the kit of every golden decision reads back as the same plan") {
  const Advisor advisor = Advisor::embedded();
  for (const Golden& golden : goldens()) {
    DYNAMIC_SECTION(golden.name) {
      const Workload workload = job(golden.workload);
      const Estimate estimate = advisor.estimate(workload, golden.configuration);
      REQUIRE(estimate.plan);
      INFO(shown(*estimate.plan));
      const auto kit = make_launch_kit(workload, golden.configuration, *estimate.plan);
      for (const Issue& issue : kit.issues) UNSCOPED_INFO(to_string(issue));
      REQUIRE(kit);
      CHECK(kit.value->framework == golden.framework);
      // Recomputing a part of the layers is no choice under FSDP; the kit then recomputes all and says so.
      Plan expected = *estimate.plan;
      const bool widened = expected.activation_checkpointing == "selective" && kit.value->framework != "megatron";
      if (widened) expected.activation_checkpointing = "full";
      if (widened) expected.recomputed_layers = 0;
      CHECK(shown(kit.value->plan) == shown(expected));
      CHECK((kit.value->notes.back().find("all layers are recomputed") != std::string::npos) == widened);
      check_round_trip(workload, golden.configuration, expected, *kit.value);
    }
  }
}

TEST_CASE("every plan that a program can carry out reads back as it was") {
  const Workload workload = job("{task: pretrain, model: mistralai/Mixtral-8x7B-v0.1, sequence_length: 4096, precision: bf16}");
  const Configuration configuration = box("H100-SXM5-80GB", 8, 4);
  int tried = 0;
  for (const int tensor : {1, 2, 8}) {
    for (const int pipeline : {1, 4}) {
      for (const char* sharding : {"ddp", "zero1", "zero2", "zero3", "fsdp", "hsdp"}) {
        for (const char* offload : {"none", "optimizer", "parameters"}) {
          for (const char* recompute : {"none", "selective", "full"}) {
            Plan plan;
            plan.tensor = tensor;
            plan.pipeline = pipeline;
            plan.virtual_pipeline = pipeline > 1 ? 2 : 1;
            plan.expert = tensor == 2 ? 8 : 1;
            plan.context = tensor == 2 ? 2 : 1;
            plan.data = 32 / (tensor * pipeline * plan.context);
            plan.sequence_parallel = tensor > 1;
            plan.micro_batch = 2;
            plan.accumulation = 4;
            plan.global_batch = plan.micro_batch * plan.accumulation * plan.data;
            plan.sharding = sharding;
            plan.shard_group = plan.sharding == "hsdp" ? 8 : 0;
            plan.offload = offload;
            plan.activation_checkpointing = recompute;
            plan.recomputed_layers = std::string(recompute) == "selective" && pipeline == 4 ? 3 : 0;
            for (const char* framework : {"fsdp", "deepspeed", "megatron"}) {
              if (!why_no_launch(framework, workload, configuration, plan).empty()) continue;
              ++tried;
              INFO(framework << " " << shown(plan));
              const auto kit = make_launch_kit(workload, configuration, plan, framework);
              REQUIRE(kit);
              check_round_trip(workload, configuration, plan, *kit.value);
            }
          }
        }
      }
    }
  }
  CHECK(tried > 60);
}

TEST_CASE("what a program can't express is said, and another one is taken") {
  const Workload workload = job("{task: pretrain, model: meta-llama/Meta-Llama-3-8B, sequence_length: 4096, software: {framework: pytorch}}");
  const Configuration configuration = box("H100-SXM5-80GB", 8, 1);
  Plan plan;
  plan.pipeline = 4;
  plan.data = 2;
  plan.global_batch = plan.accumulation = 8;
  plan.global_batch *= 2;
  plan.sharding = "zero1";
  CHECK(why_no_launch("fsdp", workload, configuration, plan).find("pipeline 4") != std::string::npos);
  CHECK_FALSE(make_launch_kit(workload, configuration, plan, "fsdp"));
  const auto kit = make_launch_kit(workload, configuration, plan);
  REQUIRE(kit);
  CHECK(kit.value->framework == "megatron");
  REQUIRE(kit.value->refusals.size() == 2);
  CHECK(kit.value->refusals.front().framework == "fsdp");
  CHECK(kit.value->plan == plan);
  plan.offload = "parameters";
  const auto none = make_launch_kit(workload, configuration, plan);
  REQUIRE_FALSE(none);
  CHECK(none.issues.front().message.find("megatron: Megatron-LM has no offload parameters") != std::string::npos);
  CHECK_FALSE(make_launch_kit(workload, configuration, plan, "horovod"));
}

TEST_CASE("the settings of the environment are those that were handed in") {
  const Workload workload = job("{task: lora, model: meta-llama/Meta-Llama-3-8B, sequence_length: 2048}");
  Value environment;
  environment["NCCL_DEBUG"] = "INFO";
  environment["NCCL_SOCKET_IFNAME"] = "^docker,lo";
  const auto kit = make_launch_kit(workload, box("A100-SXM4-80GB", 1, 1), Plan{}, "fsdp", environment);
  REQUIRE(kit);
  CHECK(kit.value->files.front().name == "launch.sh");
  CHECK(kit.value->files.front().text.find("export NCCL_DEBUG=INFO\nexport NCCL_SOCKET_IFNAME='^docker,lo'\n") != std::string::npos);
  CHECK(kit.value->files.back().text.find("--ipc host") != std::string::npos);
}
