// Workloads and configurations as users write them, and the messages where they are wrong.
#include <steelyard/catalog.hpp>
#include <steelyard/workload.hpp>

#include "core/text.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

Loaded<Workload> workload(const std::string& text) { return parse_workload(text, "job.yaml", Catalog::embedded()); }
Loaded<Configuration> configuration(const std::string& text) { return parse_configuration(text, "box.yaml", Catalog::embedded()); }

/// The messages of all issues, one a line, with place and fix.
std::string messages(const Issues& issues) {
  std::string all;
  for (const Issue& issue : issues) all += to_string(issue.where) + ": " + issue.message + (issue.fix.empty() ? "" : " [" + issue.fix + "]") + "\n";
  return all;
}

/// Is this the only complaint, and does it name these words?
void complains(const Issues& issues, const std::string& place, std::initializer_list<const char*> words) {
  REQUIRE(issues.size() == 1);
  CHECK(to_string(issues[0].where) == place);
  for (const char* word : words) CHECK_THAT(issues[0].message + " " + issues[0].fix, Catch::Matchers::Contains(word));
}

const char* whole = R"(
name: llama3-70b full fine-tune
task: full_finetune
model: Llama-3-70B
precision: bf16
quantization: null
lora: {rank: 64, targets: all_linear}
method: full
optimizer: adamw
sharding: zero3
offload: none
load: sharded
unified_memory: false
activation_checkpointing: full
parallel: {tensor: 8, pipeline: 1, context: auto, data: auto, sequence_parallel: auto}
batch: {micro: 1, global: 256}
sequence_length: 4096
work: {tokens: 1.0e9}
serving: {engine: vllm, input_tokens: 1024, output_tokens: 256, concurrency: auto, latency_p99_ms: null}
inputs: {image_px: null, residues: 300}
needs: {fp64: false, os: linux, power_w_max: 400}
software: {framework: pytorch, version: "2.3.0", cuda: cu121, packages: ["flash-attn==2.8.0"]}
constraints:
  budget: 500000 CNY
  deadline: 90 d
  gpus: {names: [A100-SXM4-80GB], min: 8}
  nodes_max: 4
  markets: [cn]
  spot: forbidden
  resumable: true
roles: [{role: actor, model: Qwen2.5-7B, method: full}]
)";

}  // namespace

TEST_CASE("a whole workload is read") {
  const auto loaded = workload(whole);
  INFO(messages(loaded.issues));
  REQUIRE(loaded);
  CHECK(loaded.issues.empty());
  const Workload& job = *loaded.value;
  CHECK(job.model->id == "meta-llama/Meta-Llama-3-70B");
  CHECK(job.model->csi_params_b == 70);
  CHECK(job.lora->rank == 64);
  CHECK(job.parallel.tensor == 8);
  CHECK_FALSE(job.parallel.context);
  CHECK_FALSE(job.parallel.sequence_parallel);
  CHECK(job.work.tokens == 1e9);
  CHECK(job.serving->input_tokens == 1024);
  CHECK_FALSE(job.serving->concurrency);
  CHECK(job.inputs.residues == 300);
  CHECK(job.constraints.budget == Money{500000, "CNY"});
  CHECK(job.constraints.deadline_h == 2160);
  CHECK(job.constraints.gpus_min == 8);
  CHECK(job.constraints.spot == "forbidden");
  CHECK(job.roles.at(0).model->id == "Qwen/Qwen2.5-7B");
  CHECK(job.where == SourceLocation{"job.yaml", 2, 1});
}

TEST_CASE("a workload as value reads back the same") {
  const auto first = workload(whole);
  REQUIRE(first);
  Value value = to_value(*first.value);
  CHECK(value.at_path("parallel.tensor")->as_int() == 8);
  CHECK(value.at_path("constraints.budget.currency")->as_string() == "CNY");
  CHECK(value.at_path("parallel.data") == nullptr);
}

TEST_CASE("everything but the task may be missing") {
  CHECK(workload("task: hpc\n").issues.empty());
  complains(workload("name: none\n").issues, "job.yaml:1:1", {"task", "full_finetune"});
}

TEST_CASE("models: written out, a named one changed, unknown, ambiguous") {
  const auto plain = workload(
      "task: pretrain\nmodel: {layers: 64, hidden: 6144, heads: 48, kv_heads: 8, head_dim: 128, ffn: 32768, gated_mlp: true,"
      " vocab: 131072, tied_embeddings: true, experts: 8, experts_per_token: 2}\n");
  REQUIRE(plain);
  CHECK(plain.value->model->params_b.value() == Approx(314).epsilon(0.02));
  CHECK(plain.value->model->params_active_b.value() == Approx(84.5).epsilon(0.03));
  const auto cut = workload("task: pretrain\nmodel: {base: meta-llama/Llama-3.1-405B, layers: 7}\n");
  REQUIRE(cut);
  CHECK(cut.value->model->hidden == 16384);
  CHECK(cut.value->model->layers == 7);
  CHECK(cut.value->model->params_b.value() == Approx(26.4).epsilon(0.02));
  CHECK(workload("task: llm_inference\nmodel: deepseek-ai/DeepSeek-V3\n").value->model->stored_block == 128);
  CHECK(workload("task: llm_inference\nmodel: {base: openai/gpt-oss-20b, layers: 2}\n").value->model->stored_format == "mxfp4");
  const auto typo = workload("task: lora\nmodel: meta-llama/Meta-Lama-3-70B\n");
  REQUIRE(typo);
  CHECK_FALSE(typo.value->model);
  CHECK(typo.value->model_name == "meta-llama/Meta-Lama-3-70B");
  complains(typo.issues, "job.yaml:2:8", {"meta-llama/Meta-Llama-3-70B"});
  complains(workload("task: lora\nmodel: {params_b: 7, layer: 32}\n").issues, "job.yaml:2:22", {"layer", "layers"});
}

TEST_CASE("each fault of a workload names place, key and fix") {
  complains(workload("task: lora\noptimzer: adamw\n").issues, "job.yaml:2:1", {"optimzer", "optimizer"});
  complains(workload("task: lora\nbatch: {micro: 1, golbal: 4}\n").issues, "job.yaml:2:19", {"golbal", "global"});
  complains(workload("task: lora\nbatch: {micro: 0}\n").issues, "job.yaml:2:16", {"micro"});
  complains(workload("task: lora\nbatch:\n  global: 010\n").issues, "job.yaml:3:11", {"global", "010"});
  complains(workload("task: lora\nsequence_length: yes\n").issues, "job.yaml:2:18", {"sequence_length", "yes"});
  complains(workload("task: lora\nwork: {tokens: .nan}\n").issues, "job.yaml:2:16", {"tokens", ".nan"});
  complains(workload("task: lora\nwork: {tokens: 1e400}\n").issues, "job.yaml:2:16", {"tokens"});
  complains(workload("task: lora\nwork: {tokens: -1}\n").issues, "job.yaml:2:16", {"tokens", "above 0"});
  complains(workload("task: lora\nconstraints: {budget: -5 CNY}\n").issues, "job.yaml:2:23", {"budget", "above 0"});
  complains(workload("task: lora\nconstraints: {budget: 500000}\n").issues, "job.yaml:2:23", {"budget", "currency", "500000 USD"});
  complains(workload("task: lora\nconstraints: {budget: \"500,000 CNY\"}\n").issues, "job.yaml:2:23", {"budget", "500,000 CNY"});
  complains(workload("task: lora\nconstraints: {budget: 5 CNX}\n").issues, "job.yaml:2:23", {"CNX", "CNY"});
  complains(workload("task: lora\nconstraints: {deadline: 90 furlongs}\n").issues, "job.yaml:2:25", {"deadline", "furlongs", "90 d"});
  complains(workload("task: lora\nconstraints: [cheap, fast]\n").issues, "job.yaml:2:14", {"constraints", "a map"});
  complains(workload("task: lora\nsharding: zero9\n").issues, "job.yaml:2:11", {"sharding", "zero9", "zero"});
  complains(workload("task: lora\noffload: sequential\n").issues, "job.yaml:2:10", {"sequential", "diffusion_inference", "parameters"});
  CHECK(workload("task: diffusion_inference\noffload: sequential\n"));
  complains(workload("task: full_finetun\n").issues, "job.yaml:1:7", {"full_finetun", "full_finetune"});
  complains(workload("task: lora\nconstraints: {gpus: {names: [A100-SMX4-80GB]}}\n").issues, "job.yaml:2:29", {"A100-SMX4-80GB", "A100-SXM4-80GB"});
  CHECK(workload("task: [lora]\nbatch: 4\nwork: {tokens: many}\nx: 1\n").issues.size() == 4);
}

TEST_CASE("a configuration is read, and the board is found") {
  const auto loaded = configuration(R"(
gpu: NVIDIA A100-SXM4-80GB
gpus_per_node: 8
nodes: 2
intra_node: nvlink
inter_node: {kind: infiniband, ports_per_node: 8, gbit_per_s_per_port: 200, gpudirect: true}
host_memory_gib: 1024
os: linux
driver: "550.54.14"
price: {amount: 128.5, currency: CNY, per: node_hour, purchase: on_demand}
measured: {samples_per_s: 187.6}
)");
  INFO(messages(loaded.issues));
  REQUIRE(loaded);
  const Configuration& box = *loaded.value;
  REQUIRE(box.board);
  CHECK(box.board->id == "A100-SXM4-80GB");
  CHECK(box.gpus() == 16);
  CHECK(box.inter_node.gbit_per_s_per_node == 1600);
  CHECK(box.price->amount == 128.5);
  CHECK(box.measured.samples_per_s == 187.6);
  CHECK(to_json(to_value(box)) ==
        R"({"gpu":"A100-SXM4-80GB","gpus_per_node":8,"nodes":2,"intra_node":"nvlink","inter_node":{"kind":"infiniband","gbit_per_s_per_node":1600.0,)"
        R"("ports_per_node":8,"gbit_per_s_per_port":200.0,"gpudirect":true},"host_memory_gib":1024.0,"os":"linux","driver":"550.54.14",)"
        R"("price":{"amount":128.5,"currency":"CNY","per":"node_hour","purchase":"on_demand"},"measured":{"samples_per_s":187.6}})");
}

TEST_CASE("GPU names that fit several boards or none are questions") {
  const auto several = configuration("gpu: A100-80GB\n");
  REQUIRE(several);
  CHECK(several.value->board == nullptr);
  complains(several.issues, "box.yaml:1:6", {"A100-PCIe-80GB", "A100-SXM4-80GB", "form factor"});
  const auto none = configuration(
      "gpu: \xD0\x90"
      "100-SXM4-80GB\n");  // a Cyrillic A
  REQUIRE(none);
  CHECK(none.value->board == nullptr);
  const auto sold_as = configuration("gpu: A100 Pro6000\n");
  REQUIRE(sold_as);
  CHECK(sold_as.value->board->id == "A100-PCIe-40GB");
  CHECK(sold_as.issues.at(0).severity == Severity::warning);
}

TEST_CASE("each fault of a configuration names place, key and fix") {
  complains(configuration("gpu: L40S\nhost_memory_gib: 512 GiB\n").issues, "box.yaml:2:18", {"host_memory_gib", "512 GiB", "write 512"});
  complains(configuration("gpu: L40S\ngpus_per_node: -1\n").issues, "box.yaml:2:16", {"gpus_per_node"});
  complains(configuration("gpu: L40S\nnodes: .inf\n").issues, "box.yaml:2:8", {"nodes"});
  complains(configuration("gpu: L40S\nprice: {amount: 0, currency: USD}\n").issues, "box.yaml:2:17", {"amount", "above 0"});
  complains(configuration("gpu: L40S\nprice: {currency: USD}\n").issues, "box.yaml:2:8", {"amount is missing"});
  complains(configuration("gpu: L40S\nprice: {amount: 1, date: 2026-02-30}\n").issues, "box.yaml:2:26", {"date", "2026-02-30"});
  complains(configuration("gpu: L40S\nos: l\xD1\x96nux\n").issues, "box.yaml:2:5", {"os", "linux"});
  complains(configuration("gpu: L40S\ninter_node: {kind: infinband}\n").issues, "box.yaml:2:20", {"infinband", "write infiniband"});
  complains(configuration("gpu: L40S\ngpu_peer_acces: true\n").issues, "box.yaml:2:1", {"gpu_peer_acces", "gpu_peer_access"});
}
