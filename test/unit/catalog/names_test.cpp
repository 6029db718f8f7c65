// Names of boards and models: what resolves, what is ambiguous, what is unknown.
#include <set>
#include <steelyard/catalog.hpp>
#include <steelyard/workload.hpp>

#include "load/embedded.hpp"
#include "load/fields.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

std::string board(const std::string& name, double memory_gb = 0) {
  const auto match = Catalog::embedded().find_board(name, memory_gb);
  if (match.resolved()) return match.resolved()->id;
  std::set<std::string> ids;
  for (const Board* candidate : match.candidates) ids.insert(candidate->id);
  std::string all;
  for (const std::string& id : ids) all += (all.empty() ? "" : "|") + id;
  return all.empty() ? "unknown" : all;
}

std::string model(const std::string& name) {
  const auto match = Catalog::embedded().find_model(name);
  return match.resolved() ? match.resolved()->id : match.candidates.empty() ? "unknown" : "ambiguous";
}

}  // namespace

TEST_CASE("contract names, printed names and catalog names resolve") {
  CHECK(board("A100-SXM4-80GB") == "A100-SXM4-80GB");
  CHECK(board("NVIDIA A100-SXM4-80GB") == "A100-SXM4-80GB");
  CHECK(board("A100 80GB PCIe") == "A100-PCIe-80GB");
  CHECK(board("NVIDIA A100 80GB PCIe") == "A100-PCIe-80GB");
  CHECK(board("a100-80gb-sxm") == "A100-SXM4-80GB");
  CHECK(board("NVIDIA H100 80GB HBM3") == "H100-SXM5-80GB");
  CHECK(board("H100-SXM") == "H100-SXM5-80GB");
  CHECK(board("H100 PCIe") == "H100-PCIe-80GB");
  CHECK(board("H100-NVL-94GB") == "H100-NVL-94GB");
  CHECK(board("NVIDIA H200") == "H200-SXM-141GB");
  CHECK(board("GH200 480GB") == "GH200-96GB");
  CHECK(board("GH200-96GB") == "GH200-96GB");
  CHECK(board("B200-SXM-180GB") == "B200-SXM-180GB");
  CHECK(board("B300-SXM") == "B300-SXM-288GB");
  CHECK(board("GB200") == "GB200-186GB");
  CHECK(board("RTX 4090") == "RTX4090-24GB");
  CHECK(board("NVIDIA GeForce RTX 4090 D") == "RTX4090D-24GB");
  CHECK(board("RTX4090D-24G") == "RTX4090D-24GB");
  CHECK(board("L40S") == "L40S-48GB");
  CHECK(board("RTX6000-Ada") == "RTX6000Ada-48GB");
  CHECK(board("A6000") == "RTXA6000-48GB");
  CHECK(board("A10G") == "A10G-24GB");
  CHECK(board("NVIDIA T4 Tensor Core") == "T4-16GB");
  CHECK(board("Tesla V100-SXM2-16GB") == "V100-SXM2-16GB");
  CHECK(board("V100-SXM3-32GB") == "V100-SXM3-32GB");
  CHECK(board("RTXPRO6000-BSE") == "RTXPRO6000-Server-96GB");
  CHECK(board("Ascend910B-64GB") == "Ascend910B-64GB");
  CHECK(board("RTX2080Ti-11GB") == "RTX2080Ti-11GB");
  CHECK(board("MI300X") == "MI300X-192GB");
  CHECK(board("a100-sxm4-80") == "A100-SXM4-80GB");
  CHECK(board("RTX PRO 5000 Blackwell 72GB") == "RTXPRO5000-72GB");
  CHECK(board("NVIDIA RTX PRO 4500 Blackwell Server Edition") == "RTXPRO4500-Server-32GB");
  CHECK(board("Ascend 910B3") == "Ascend910B3-64GB");
  CHECK(board("nvidia-h100-mega-80gb") == "H100-SXM5-80GB");
}

TEST_CASE("a name that fits several boards gives all of them, and the memory narrows") {
  CHECK(board("A100") == "A100-PCIe-40GB|A100-PCIe-80GB|A100-SXM4-40GB|A100-SXM4-80GB");
  CHECK(board("A100-80GB") == "A100-PCIe-80GB|A100-SXM4-80GB");
  CHECK(board("A100", 40) == "A100-PCIe-40GB|A100-SXM4-40GB");
  CHECK(board("A100-SXM", 80) == "A100-SXM4-80GB");
  CHECK(board("A100", 64) == "A100-SXM-64GB");
  CHECK(board("V100-32GB") == "V100-PCIe-32GB|V100-SXM2-32GB");
  CHECK(board("H100") == "H100-NVL-94GB|H100-PCIe-80GB|H100-SXM5-80GB");
  CHECK(board("RTX6000") == "RTX6000-Turing-24GB|RTX6000Ada-48GB");
  CHECK(board("RTX6000", 24) == "RTX6000-Turing-24GB");
  CHECK(board("RTX3080", 12) == "RTX3080-12GB");
  CHECK(board("RTX3080") == "RTX3080-10GB");
  CHECK(board("L4", 22.35) == "L4-24GB");
  CHECK(board("RTX A2000") == "RTXA2000-12GB|RTXA2000-6GB");
  CHECK(board("RTX A2000 12GB") == "RTXA2000-12GB");
  CHECK(board("RTX PRO 4500 Blackwell") == "RTXPRO4500-32GB|RTXPRO4500-Server-32GB");
  CHECK(board("RTX PRO 5000 Blackwell") == "RTXPRO5000-48GB|RTXPRO5000-72GB");
  CHECK(board("NVIDIA RTX PRO 5000 Blackwell", 48) == "RTXPRO5000-48GB");
  CHECK(board("RTX PRO 6000 Blackwell") == "RTXPRO6000-MaxQ-96GB|RTXPRO6000-Server-96GB|RTXPRO6000-Workstation-96GB");
}

TEST_CASE("boards rebuilt with more memory are met only by name") {
  CHECK(board("RTX 4090") == "RTX4090-24GB");
  CHECK(board("RTX 4090 48GB") == "RTX4090-48GB");
  CHECK(board("RTX 2080 Ti") == "RTX2080Ti-11GB");
  CHECK(board("RTX 2080 Ti 22GB") == "RTX2080Ti-22GB");
}

TEST_CASE("a name that only contains a known one is unknown") {
  CHECK(board("RTX 3070 Laptop") == "unknown");
  CHECK(board("RTX 4090 Laptop") == "RTX4090-Laptop-16GB");
  CHECK(board("4090 Ti") == "unknown");
  CHECK(board("A1000") == "unknown");
  CHECK(board("H100-64GB") == "unknown");
  CHECK(board("A100 Ultra") == "unknown");
  CHECK(board("") == "unknown");
  CHECK_FALSE(Catalog::embedded().find_board("A100-SMX4-80GB").nearest.empty());
}

TEST_CASE("a marketing name maps to a chip with a warning; a memory that no board has is said") {
  const auto sold_as = Catalog::embedded().find_board("A100 Pro6000");
  REQUIRE(sold_as.resolved());
  CHECK(sold_as.resolved()->id == "A100-PCIe-40GB");
  CHECK_FALSE(sold_as.warning.empty());
  const auto wrong = Catalog::embedded().find_board("H200", 80);
  REQUIRE(wrong.resolved());
  CHECK(wrong.warning.find("80 GB") != std::string::npos);
}

TEST_CASE("models resolve by id and by the names people use") {
  CHECK(model("meta-llama/Meta-Llama-3-70B") == "meta-llama/Meta-Llama-3-70B");
  CHECK(model("Llama-3-70B") == "meta-llama/Meta-Llama-3-70B");
  CHECK(model("llama3-70b") == "meta-llama/Meta-Llama-3-70B");
  CHECK(model("Qwen2-VL-7B") == "Qwen/Qwen2-VL-7B-Instruct");
  CHECK(model("BEVFusion") == "mit-han-lab/bevfusion (det, camera+lidar)");
  CHECK(model("Grok1-314B") == "xai-org/grok-1");
  CHECK(model("no such model") == "unknown");
  CHECK_FALSE(Catalog::embedded().find_model("meta-llama/Meta-Lama-3-70B").nearest.empty());
}

TEST_CASE("names that hubs give to tuned and requantized weights resolve to the network") {
  CHECK(model("Qwen/Qwen2.5-72B-Instruct-AWQ") == "Qwen/Qwen2.5-72B");
  CHECK(model("Qwen2.5-72B-Instruct-GPTQ-Int4") == "Qwen/Qwen2.5-72B");
  CHECK(model("TheBloke/Llama-2-70B-Chat-AWQ") == "meta-llama/Llama-2-70b-hf");
  CHECK(model("neuralmagic/Meta-Llama-3.1-8B-Instruct-quantized.w8a8") == "meta-llama/Llama-3.1-8B");
  CHECK(model("unsloth/Llama-3.3-70B-Instruct-bnb-4bit") == "meta-llama/Llama-3.3-70B-Instruct");
  CHECK(model("nvidia/Llama-3.1-405B-Instruct-FP8") == "meta-llama/Llama-3.1-405B");
  CHECK(model("NousResearch/Meta-Llama-3-8B") == "meta-llama/Meta-Llama-3-8B");
  CHECK(model("meta-llama/Llama-3.2-3B-Instruct") == "meta-llama/Llama-3.2-3B");
  CHECK(model("Llama 2 70B chat") == "meta-llama/Llama-2-70b-hf");
  CHECK(model("google/gemma-2-9b-it") == "google/gemma-2-9b");
  CHECK(model("google/gemma-3-12b-pt") == "google/gemma-3-12b-it");
  CHECK(model("mistralai/Mixtral-8x22B-Instruct-v0.1") == "mistralai/Mixtral-8x22B-v0.1");
  CHECK(model("mistralai/Mistral-7B-Instruct-v0.3") == "mistralai/Mistral-7B-v0.1");
  CHECK(model("deepseek-ai/DeepSeek-V3.1") == "deepseek-ai/DeepSeek-V3");
  CHECK(model("Qwen/Qwen2.5-Coder-32B-Instruct") == "Qwen/Qwen2.5-32B");
  CHECK(model("/data/models/opt-13b") == "facebook/opt-13b");
  CHECK(model("facebook/opt-1.3b") == "facebook/opt-1.3b");
  CHECK(model("OPT 13B") == "facebook/opt-13b");
}

TEST_CASE("a model's name says what its weights are stored in, unless the job states it or trains all of them") {
  const auto stored = [](const std::string& name, const std::string& job = "task: llm_inference") {
    const auto workload = parse_workload("model: " + name + "\n" + job, "a file", Catalog::embedded());
    REQUIRE(workload);
    CHECK(workload.value->model);
    return workload.value->quantization;
  };
  CHECK(stored("Qwen/Qwen2.5-72B-Instruct-AWQ") == "awq");
  CHECK(stored("Qwen/Qwen2.5-72B-Instruct-GPTQ-Int8") == "int8");
  CHECK(stored("RedHatAI/Meta-Llama-3.1-70B-Instruct-FP8-dynamic") == "fp8");
  CHECK(stored("llama-2-7b-chat.Q4_K_M.gguf") == "q4_k_m");
  CHECK(stored("Llama-2-7B Q4_0") == "q4_0");
  CHECK(stored("unsloth/DeepSeek-R1-BF16") == "bf16");
  CHECK(stored("{base: Qwen/Qwen2.5-72B-Instruct-AWQ}") == "awq");
  CHECK(stored("Qwen/Qwen2.5-72B-Instruct").empty());
  CHECK(stored("Qwen/Qwen3-235B-A22B-FP8").empty());  // published so: a fact of the model
  CHECK(stored("Qwen/Qwen2.5-72B-Instruct-AWQ", "task: llm_inference\nquantization: gptq") == "gptq");
  CHECK(stored("Qwen/Qwen2.5-72B-Instruct-AWQ", "task: llm_inference\nserving: {weight_only: fp8}").empty());
  CHECK(stored("unsloth/llama-3-8b-Instruct-bnb-4bit", "task: lora") == "nf4");
  CHECK(stored("unsloth/llama-3-8b-Instruct-bnb-4bit", "task: full_finetune").empty());
}

TEST_CASE("a name with a word that may change the network stays unknown, and the nearest models are named") {
  CHECK(model("Qwen/Qwen2.5-7B-Instruct-1M") == "unknown");
  CHECK(model("meta-llama/Llama-3.2-11B-Vision-Instruct") == "unknown");
  CHECK(model("THUDM/glm-4-9b-chat-1m") == "unknown");
  CHECK(model("tiiuae/falcon-mamba-7b") == "unknown");
  CHECK(model("deepseek-ai/DeepSeek-V3.2-Exp") == "unknown");
  CHECK(model("01-ai/Yi-34B-200K") == "unknown");
  CHECK(model("Qwen2.5-7B-Instruct-GGUF") == "unknown");
  CHECK(model("whisper") == "unknown");
  CHECK(model("AWQ") == "unknown");
  CHECK_FALSE(Catalog::embedded().find_model("someone/Meta-Lama-3-70B-Instruct-AWQ").nearest.empty());
}

TEST_CASE("every other name of a network leads to a model of the catalog") {
  const load::Document document = load::embedded_document("data/schema/model_names.yaml");
  Issues issues;
  load::Fields fields(document, document.root, issues, "names of models");
  int names = 0;
  load::each_map(document, *fields.node("same_network"), issues, "same_network", [&](load::Fields& entry) {
    for (const std::string& name : entry.texts("names")) {
      INFO(name);
      CHECK(model(name) == entry.required_text("model"));
      ++names;
    }
  });
  CHECK(names > 30);
}
