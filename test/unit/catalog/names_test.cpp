// Names of boards and models: what resolves, what is ambiguous, what is unknown.
#include <set>
#include <steelyard/catalog.hpp>

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
