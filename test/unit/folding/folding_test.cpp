#include <steelyard/catalog.hpp>
#include <steelyard/run_time.hpp>

#include "estimate/efficiencies.hpp"
#include "estimate/folding/law.hpp"
#include "load/embedded.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::estimate;

namespace {

Configuration boards(const char* gpu, int gpus = 1) {
  Configuration out;
  out.board = Catalog::embedded().find_board(gpu).resolved();
  REQUIRE(out.board);
  out.gpus_per_node = gpus;
  return out;
}

Workload fold(const char* model, int tokens) {
  Workload out;
  out.task = "science_inference";
  out.model_name = model;
  out.inputs.tokens = tokens;
  out.software.framework = "AlphaFold3 open repo (JAX)";
  return out;
}

}  // namespace

TEST_CASE("the law on its reference board: start, square, growth beyond") {
  FoldingJob job;
  job.memory_gb_per_s = 2039, job.peak_tflops = 312, job.kilotokens = 1;
  FoldingLaw law;
  law.growth = 2, law.knee_kilotokens = 4;
  CHECK(folding_time_s(job, law) == Approx(law.start_3_s + law.square_s * (1 + 1.0 / 16)));
  job.kilotokens = 4;
  CHECK(folding_time_s(job, law) == Approx(law.start_3_s + law.square_s * 16 * 2));
  job.memory_gb_per_s *= 2, job.peak_tflops *= 2;
  CHECK(folding_time_s(job, law) == Approx(law.start_3_s + law.square_s * 16));
}

TEST_CASE("estimate_folding: published times, one input a GPU") {
  // google-deepmind/alphafold3 docs/performance.md
  const TimeEstimate a100 = estimate_folding(fold("AlphaFold3", 1024), boards("A100-SXM4-80GB"));
  REQUIRE(a100.latency_ms);
  CHECK(*a100.latency_ms == Approx(62e3).epsilon(0.05));
  CHECK(a100.confidence == "same_gpu_and_framework");
  CHECK(*estimate_folding(fold("alphafold3", 5120), boards("H100-SXM5-80GB")).latency_ms == Approx(1416e3).epsilon(0.05));
  const TimeEstimate eight = estimate_folding(fold("AlphaFold3", 1024), boards("A100-SXM4-80GB", 8));
  CHECK(*eight.latency_ms == *a100.latency_ms);
  CHECK(*eight.samples_per_s == Approx(8e3 / *a100.latency_ms));
  Workload residues = fold("OpenFold2", 0);
  residues.inputs.tokens.reset();
  residues.inputs.residues = 562;
  residues.software.framework = "OpenFold2 NIM";
  CHECK(*estimate_folding(residues, boards("H100-SXM5-80GB")).latency_ms == Approx(19.4e3).epsilon(0.05));
}

TEST_CASE("other models of the architecture and other boards have wide ranges") {
  const TimeEstimate seen = estimate_folding(fold("AlphaFold3", 2048), boards("H100-SXM5-80GB"));
  const TimeEstimate like = estimate_folding(fold("Boltz-2", 2048), boards("H100-SXM5-80GB"));
  CHECK(like.confidence == "extrapolated");
  CHECK(like.interval->high / like.interval->low > 2 * seen.interval->high / seen.interval->low);
  CHECK(estimate_folding(fold("AlphaFold3", 2048), boards("RTX4090")).confidence == "extrapolated");
}

TEST_CASE("unknown stays unknown") {
  std::vector<std::string> missing;
  CHECK_FALSE(estimate_folding(fold("ESMFold", 500), boards("H100-SXM5-80GB"), &missing).latency_ms);
  CHECK(missing == std::vector<std::string>{"workload.model"});
  CHECK_FALSE(estimate_folding(fold("AlphaFold3", 0), boards("H100-SXM5-80GB"), &missing).latency_ms);
  CHECK(missing == std::vector<std::string>{"workload.inputs.tokens"});
  CHECK_FALSE(estimate_folding(fold("AlphaFold3", 500), Configuration{}, &missing).latency_ms);
  CHECK(missing == std::vector<std::string>{"configuration.gpu"});
}

TEST_CASE("the shipped file is read whole") {
  Issues issues;
  const FittedFamily family = read_fitted(load::embedded_document("data/efficiency/folding.yaml"), issues);
  CHECK(issues.empty());
  for (const FoldingParameter& one : folding_parameters()) CHECK(family.parameters.count(one.name) == 1);
}
