// Servers: vLLM and SGLang.
#include "launch/writers.hpp"

namespace steelyard::launch {

namespace {

void add_formats(const Job& job, Command& command) {
  const std::string precision = precision_of(job.workload), &stored = job.workload.quantization;
  if (stored == "awq" || stored == "gptq") command.option("--quantization", stored);
  if (precision == "bf16" && stored.empty()) command.option("--dtype", "bfloat16");
  if (precision == "fp16") command.option("--dtype", "float16");
  if (precision == "fp32") command.option("--dtype", "float32");
  if (precision == "fp8") command.option("--quantization", "fp8");
}

int max_length(const Workload& workload) { return workload.serving ? workload.serving->max_model_len.value_or(0) : 0; }

}  // namespace

void write_vllm(const Job& job, LaunchKit& kit) {
  const Plan& plan = job.plan;
  const int split = plan.tensor * plan.pipeline;
  Command command("vllm serve " + quoted(model_name(job.workload)));
  command.option("--tensor-parallel-size", plan.tensor).option("--pipeline-parallel-size", plan.pipeline).option("--data-parallel-size", plan.data);
  if (plan.expert > 1) command.option("--enable-expert-parallel");
  if (const int length = max_length(job.workload)) command.option("--max-model-len", length);
  add_formats(job, command);
  if (job.lies.nodes > 1 && split <= job.lies.per_node) {
    const int copies = job.lies.per_node / split;
    command.option("--data-parallel-size-local", copies)
        .option("--data-parallel-address", "\"$MASTER_ADDR\"")
        .option("--data-parallel-rpc-port", 13345);
    command.option("--data-parallel-start-rank", "$((NODE_RANK * " + std::to_string(copies) + "))")
        .option("$([ \"$NODE_RANK\" = 0 ] || echo --headless)");
  } else if (job.lies.nodes > 1) {
    command.option("--distributed-executor-backend", "ray");
    kit.notes.push_back("One copy spans nodes: start a Ray cluster on them first, and run launch.sh on node 0 only");
  }
  add_script(command, kit);
}

void write_sglang(const Job& job, LaunchKit& kit) {
  const Plan& plan = job.plan;
  Command command("python3 -m sglang.launch_server");
  command.option("--model-path", quoted(model_name(job.workload))).option("--tp-size", plan.tensor).option("--pp-size", plan.pipeline);
  const bool copies_over_nodes = job.lies.nodes > 1 && plan.tensor * plan.pipeline <= job.lies.per_node;
  command.option("--dp-size", copies_over_nodes ? job.lies.per_node / (plan.tensor * plan.pipeline) : plan.data);
  if (plan.expert > 1) command.option("--ep-size", plan.expert);
  if (const int length = max_length(job.workload)) command.option("--context-length", length);
  add_formats(job, command);
  if (copies_over_nodes) {
    kit.notes.push_back("Every node serves its own copies: put sglang_router in front of the " + std::to_string(job.lies.nodes) + " nodes");
  } else if (job.lies.nodes > 1) {
    command.option("--nnodes", job.lies.nodes).option("--node-rank", "\"$NODE_RANK\"").option("--dist-init-addr", "\"$MASTER_ADDR:5000\"");
  }
  add_script(command, kit);
}

}  // namespace steelyard::launch
