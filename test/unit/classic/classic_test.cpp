#include <steelyard/catalog.hpp>
#include <steelyard/run_time.hpp>

#include "estimate/classic/law.hpp"
#include "estimate/classic/levels.hpp"
#include "estimate/efficiencies.hpp"
#include "load/embedded.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::estimate;

namespace {

Configuration node(const char* gpu, int gpus) {
  Configuration out;
  out.board = Catalog::embedded().find_board(gpu).resolved();
  REQUIRE(out.board);
  out.gpus_per_node = gpus;
  out.intra_node = gpus == 1 ? "none" : out.board->nvlink_generation ? "nvlink" : "pcie";
  return out;
}

Workload resnet(const char* precision, int micro, int gpus) {
  Workload out;
  out.task = "vision_training";
  out.model_name = "ResNet-50";
  out.precision = precision;
  out.batch.micro = micro;
  out.batch.global = micro * gpus;
  out.software.framework = "PyTorch/TF2 NGC (DeepLearningExamples)";
  return out;
}

ClassicJob simple_job() {
  ClassicJob job;
  job.operations = 1e12, job.peak = 100e12, job.memory_rate = 1e12, job.half = job.matrix_units = true, job.micro = 10;
  return job;
}

}  // namespace

TEST_CASE("time of a unit: products, memory, start of a pass") {
  ClassicLaw law;
  law.matrix_share = 0.5;
  const ClassicTimes times = classic_times(simple_job(), law);
  CHECK(times.compute == Approx(0.02));
  CHECK(times.memory == Approx(1e12 / 60 / 1e12));  // 60 operations a byte
  CHECK(times.launch == Approx(law.launch_ms[0] * 1e-4));
  CHECK(times.exchange == 0);
  CHECK(times.total == Approx(times.compute + times.memory + times.launch));
}

TEST_CASE("32 bits move more bytes; without matrix units another share of the peak counts") {
  ClassicJob job = simple_job();
  const ClassicLaw law;
  job.half = false;
  CHECK(classic_times(job, law).memory == Approx(law.full_precision_bytes * classic_times(simple_job(), law).memory));
  job.matrix_units = false;
  CHECK(classic_times(job, law).compute == Approx(0.01 / law.plain_share));
}

TEST_CASE("gradients are exchanged once a pass: a larger batch hides them") {
  ClassicJob job = simple_job();
  job.per_node = job.gpus = 8, job.link = 1e9, job.gradient_bytes = 1e9;
  ClassicLaw law;
  const double small = classic_times(job, law).exchange;
  CHECK(small == Approx(law.exchange * 2 * 7.0 / 8 / 10));
  job.micro = 100;
  CHECK(classic_times(job, law).exchange == Approx(small / 10));
  job.nodes = 2, job.network = 1e8;
  CHECK(classic_times(job, law).exchange > small / 2);
}

TEST_CASE("tokens share the start of their sample's pass") {
  ClassicJob job = simple_job();
  job.unit = "token", job.units_per_sample = 100;
  CHECK(classic_times(job, ClassicLaw{}).launch == Approx(classic_times(simple_job(), ClassicLaw{}).launch / 100));
}

TEST_CASE("jobs: TF32 for fp32 where a board has it, known models, the catalog's models") {
  std::vector<std::string> missing;
  const auto ampere = classic_job(resnet("fp32", 64, 1), node("A100-SXM4-80GB", 1), missing);
  REQUIRE(ampere);
  CHECK(ampere->peak == 156e12);
  CHECK(ampere->matrix_units);
  CHECK(ampere->operations == Approx(24.6e9));
  const auto volta = classic_job(resnet("fp32", 64, 1), node("V100-SXM2-32GB", 1), missing);
  REQUIRE(volta);
  CHECK_FALSE(volta->matrix_units);
  CHECK(volta->peak < 20e12);
  Workload other = resnet("bf16", 64, 1);
  other.model_name = "someone/newnet";
  other.model = Model{};
  other.model->kind = "vision";
  other.model->params_b = 0.1;
  CHECK_FALSE(classic_job(other, node("A100-SXM4-80GB", 1), missing));
  CHECK(missing == std::vector<std::string>{"workload.model.forward_gflop_per_sample"});
  missing.clear();
  other.model->forward_gflop_per_sample = 20;
  CHECK(classic_job(other, node("A100-SXM4-80GB", 1), missing)->operations == 60e9);
  Workload encoder = resnet("fp16", 8, 8);
  encoder.task = "pretrain";
  encoder.model_name = "BERT-large";
  CHECK_FALSE(classic_job(encoder, node("A100-SXM4-80GB", 8), missing));
  CHECK(missing == std::vector<std::string>{"workload.sequence_length"});
}

TEST_CASE("which jobs are classic training") {
  CHECK(trains_classic(resnet("fp16", 64, 1)));
  Workload encoder;
  encoder.task = "pretrain";
  encoder.model_name = "BERT-large (TF2)";
  CHECK(trains_classic(encoder));
  encoder.model_name = "meta-llama/Llama-3.1-8B";
  CHECK_FALSE(trains_classic(encoder));
  encoder.task = "llm_inference";
  encoder.model_name = "BERT-large";
  CHECK_FALSE(trains_classic(encoder));
}

TEST_CASE("estimate_classic: published ResNet-50 rates, scaling, confidence") {
  // NVIDIA DeepLearningExamples, DGX A100: 2,470 images/s on one GPU in mixed precision.
  Workload job = resnet("fp16", 256, 1);
  job.model_name = "ResNet-50 v1.5";
  const TimeEstimate one = estimate_classic(job, node("A100-SXM4-80GB", 1));
  REQUIRE(one.samples_per_s);
  CHECK(*one.samples_per_s > 1000);
  CHECK(*one.samples_per_s < 4000);
  CHECK(*one.step_time_s == Approx(256 / *one.samples_per_s));
  CHECK(one.interval->of == "samples_per_s");
  CHECK(one.interval->low < *one.samples_per_s);
  const TimeEstimate eight = estimate_classic(resnet("fp16", 256, 8), node("A100-SXM4-80GB", 8));
  CHECK(*eight.samples_per_s > 5 * *estimate_classic(resnet("fp16", 256, 1), node("A100-SXM4-80GB", 1)).samples_per_s);
  CHECK(estimate_classic(resnet("fp16", 256, 1), node("MI300X", 1)).confidence == "extrapolated");
  CHECK(estimate_classic(resnet("fp16", 256, 1), node("H100-SXM5-80GB", 1)).confidence != "extrapolated");
}

TEST_CASE("rates in tokens where the model counts tokens or sequences have a length") {
  Workload translation = resnet("fp16", 128, 1);
  translation.task = "pretrain";
  translation.model_name = "gnmt";
  translation.work.tokens = 1e9;
  const TimeEstimate tokens = estimate_classic(translation, node("A100-SXM4-80GB", 1));
  CHECK(tokens.interval->of == "tokens_per_s");
  CHECK(*tokens.tokens_per_s == Approx(54 * *tokens.samples_per_s));
  Workload encoder = resnet("fp16", 32, 8);
  encoder.task = "pretrain";
  encoder.model_name = "BERT-large";
  encoder.sequence_length = 512;
  const TimeEstimate sequences = estimate_classic(encoder, node("A100-SXM4-80GB", 8));
  CHECK(sequences.interval->of == "samples_per_s");
  CHECK(*sequences.tokens_per_s == Approx(512 * *sequences.samples_per_s));
  CHECK(*sequences.samples_per_s == Approx(1657).epsilon(0.1));  // NVIDIA DeepLearningExamples, phase 2 on a DGX A100
}

TEST_CASE("what is not known is named, never guessed") {
  std::vector<std::string> missing;
  Workload unknown = resnet("fp16", 64, 1);
  unknown.model_name = "nobody-knows-this";
  CHECK_FALSE(estimate_classic(unknown, node("A100-SXM4-80GB", 1), &missing).samples_per_s);
  CHECK(missing == std::vector<std::string>{"workload.model.forward_gflop_per_sample"});
  CHECK_FALSE(estimate_classic(resnet("fp16", 64, 1), Configuration{}, &missing).samples_per_s);
  CHECK(missing == std::vector<std::string>{"configuration.gpu"});
}

TEST_CASE("shipped files are read whole") {
  Issues issues;
  const FittedFamily family = read_fitted(load::embedded_document("data/efficiency/classic.yaml"), issues);
  CHECK(issues.empty());
  CHECK(family.offsets.levels().size() > 100);
  for (const ClassicParameter& one : classic_parameters()) CHECK(family.parameters.count(one.name) == 1);
  const load::Document document = load::embedded_document("data/efficiency/classic_models.yaml");
  load::Fields file(document, document.root, issues, "classic models");
  std::size_t count = 0;
  load::each_map(document, *file.node("models"), issues, "model", [&](load::Fields& fields) {
    fields.texts("names");
    fields.word("class", {"convolution", "segmentation", "transformer", "recurrent", "recommender", "speech"});
    fields.word("unit", {"sample", "token", "frame"});
    fields.number("units_per_sample", 1), fields.number("gflop", 0), fields.required_number("parameters_m", 0), fields.required_text("source");
    fields.finish();
    ++count;
  });
  CHECK(issues.empty());
  CHECK(count == classic_models().size());
}
