#include <cmath>
#include <steelyard/catalog.hpp>
#include <steelyard/run_time.hpp>

#include "estimate/diffusion/law.hpp"
#include "estimate/efficiencies.hpp"
#include "load/embedded.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::estimate;

namespace {

constexpr double megapixel = 1 << 20;

Configuration boards(const char* gpu, int gpus = 1, int nodes = 1) {
  Configuration out;
  out.board = Catalog::embedded().find_board(gpu).resolved();
  REQUIRE(out.board);
  out.gpus_per_node = gpus, out.nodes = nodes;
  out.intra_node = gpus > 1 ? "pcie" : "none";
  return out;
}

Workload job(const char* task, const char* model) {
  Workload out;
  out.task = task;
  out.model_name = model;
  if (const Model* found = Catalog::embedded().find_model(model).resolved()) out.model = *found;
  out.inputs.image_px = static_cast<int>(megapixel);
  return out;
}

Plan plan(int data, int micro, int accumulation, const char* sharding) {
  Plan out;
  out.data = data, out.micro_batch = micro, out.accumulation = accumulation, out.sharding = sharding;
  out.global_batch = data * micro * accumulation;
  return out;
}

DiffusionModel model_of(const char* name) {
  const auto found = diffusion_model(job("diffusion_inference", name));
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("operations of one pass are the published counts") {
  // huggingface.co/datasets/diffusers/benchmarks: FLUX.1 59,523 GFLOP without attention products, 4,096 image and 512 text tokens; SDXL 5,979.
  const DiffusionModel flux = model_of("FLUX.1-dev");
  const double tokens = 4096 + 512, attention = 4 * tokens * tokens * flux.hidden * flux.layers;
  CHECK(flux.forward_flop(megapixel, 1) - attention == Approx(59.523e12).epsilon(0.01));
  CHECK(model_of("SDXL").forward_flop(megapixel, 1) == Approx(5.979e12 * 1.125));
  // A quarter of the pixels: a quarter of the convolutions, a sixteenth of the attention.
  CHECK(model_of("SDXL").forward_flop(megapixel / 4, 1) == Approx(5.979e12 * (0.25 + 0.125 / 16)));
}

TEST_CASE("video: frames are grouped by the encoder, attention spans all of them") {
  const DiffusionModel video = model_of("HunyuanVideo");
  const double tokens = 33 * 3600 + 256;  // 129 frames of 1280 x 720
  CHECK(video.forward_flop(1280 * 720, 129) == Approx(2 * video.token_params * tokens + 4 * tokens * tokens * 3072 * 60));
  CHECK(model_of("Wan2.1 1.3B").native_frames == 81);
  CHECK(video.latent_frames(1) == 1);
  CHECK(video.latent_frames(129) == 33);
  CHECK(model_of("FLUX.1-dev").latent_frames(16) == 16);
}

TEST_CASE("a model that is not listed follows its sizes, with a wide range") {
  Workload unknown = job("diffusion_inference", "nobody/new-model");
  CHECK_FALSE(estimate_diffusion(unknown, boards("H100-SXM5-80GB"), Plan{}).step_time_s);
  unknown.model = Model{};
  unknown.model->params_b = 8;
  const TimeEstimate guessed = estimate_diffusion(unknown, boards("H100-SXM5-80GB"), Plan{});
  const TimeEstimate listed = estimate_diffusion(job("diffusion_inference", "FLUX.1-dev"), boards("H100-SXM5-80GB"), Plan{});
  REQUIRE(guessed.interval);
  CHECK(guessed.confidence == "extrapolated");
  CHECK(guessed.interval->high / guessed.interval->low > 1.5 * listed.interval->high / listed.interval->low);
  unknown.model->layers = 38, unknown.model->hidden = 2432;
  const auto shaped = diffusion_model(unknown);
  CHECK(shaped->token_params == Approx(38 * 12.0 * 2432 * 2432));
}

TEST_CASE("generation: published times lie inside the range; further GPUs make further images") {
  Workload sdxl = job("diffusion_inference", "SDXL");
  sdxl.software.framework = "diffusers";
  // fal-ai/stable-diffusion-benchmarks: 50 steps, A100 80 GB: 5.93 s
  const TimeEstimate one = estimate_diffusion(sdxl, boards("A100-SXM4-80GB"), Plan{});
  REQUIRE(one.interval);
  CHECK(one.interval->low < 5.933);
  CHECK(one.interval->high > 5.933);
  CHECK(*one.step_time_s == Approx(5.933).epsilon(0.2));
  CHECK(one.confidence == "same_gpu_and_framework");
  const TimeEstimate four = estimate_diffusion(sdxl, boards("A100-SXM4-80GB", 4, 2), Plan{});
  CHECK(*four.latency_ms == *one.latency_ms);
  CHECK(*four.samples_per_s == Approx(8 * *one.samples_per_s));
  sdxl.software.framework = "TensorRT";
  CHECK(*estimate_diffusion(sdxl, boards("A100-SXM4-80GB"), Plan{}).step_time_s < *one.step_time_s);
}

// huggingface.co/blog/diffusers-quantization: FLUX.1-dev took 20 s with enable_model_cpu_offload and 12 s without.
TEST_CASE("generation: offloaded weights come over the slot, models once, layers in every step") {
  Workload flux = job("diffusion_inference", "FLUX.1-dev");
  const auto seconds = [&](const char* offload) {
    flux.offload = offload;
    return *estimate_diffusion(flux, boards("H100-SXM5-80GB"), Plan{}).step_time_s;
  };
  std::vector<std::string> missing;
  flux.offload = "parameters";
  const DiffusionTimes times = generation_times(*diffusion_job(flux, boards("H100-SXM5-80GB"), missing), {});
  CHECK(times.communication == Approx(8).epsilon(0.02));
  CHECK(seconds("parameters") > seconds("none"));
  CHECK(seconds("sequential") > seconds("none") + 28 * 23.8 / 4.2 * 0.8);
  CHECK(seconds("optimizer") == seconds("none"));
}

TEST_CASE("training: recomputation, frozen weights and exchange") {
  std::vector<std::string> missing;
  const auto full = diffusion_job(job("diffusion_training", "SDXL"), boards("H100-PCIe-80GB", 2), missing);
  REQUIRE(full);
  DiffusionLaw law;
  law.block_launch_us = 0;
  const DiffusionTimes one = training_times(*full, plan(1, 4, 1, "ddp"), law);
  CHECK(one.communication == 0);
  CHECK(one.flop == Approx(4 * 3 * full->model.forward_flop(megapixel, 1)));
  Plan again = plan(1, 4, 1, "ddp");
  again.activation_checkpointing = "full";
  CHECK(training_times(*full, again, law).compute == Approx(one.compute * 4 / 3));
  const DiffusionTimes two = training_times(*full, plan(2, 4, 1, "ddp"), law);
  CHECK(two.exchange_bytes == Approx(2 * 4 * 2.57e9 / 2));
  CHECK(two.total > one.total);
  CHECK(two.total < 2 * one.total);  // two cards over PCIe still gain
  const DiffusionTimes sharded = training_times(*full, plan(2, 4, 3, "zero3"), law);
  CHECK(sharded.exchange_bytes == Approx(3 * 3 * 2 * 2.57e9 / 2));
  Workload adapters = job("diffusion_training", "SDXL");
  adapters.method = "lora";
  const auto frozen = diffusion_job(adapters, boards("H100-PCIe-80GB", 2), missing);
  const DiffusionTimes lora = training_times(*frozen, plan(2, 4, 1, "ddp"), law);
  CHECK(lora.exchange_bytes == 0);
  CHECK(lora.compute == Approx(one.compute * 2 / 3));
}

TEST_CASE("several nodes without a known network have no training time") {
  std::vector<std::string> missing;
  CHECK_FALSE(estimate_diffusion(job("diffusion_training", "SDXL"), boards("A100-SXM4-80GB", 8, 2), plan(16, 4, 1, "ddp"), &missing).step_time_s);
  CHECK(missing == std::vector<std::string>{"configuration.inter_node"});
  CHECK_FALSE(estimate_diffusion(job("diffusion_training", "SDXL"), Configuration{}, plan(1, 4, 1, "ddp"), &missing).step_time_s);
  CHECK(missing == std::vector<std::string>{"configuration.gpu"});
}

TEST_CASE("the shipped fit of diffusion is read whole") {
  Issues issues;
  const FittedFamily family = read_fitted(load::embedded_document("data/efficiency/diffusion.yaml"), issues);
  CHECK(issues.empty());
  for (const DiffusionParameter& one : diffusion_parameters()) CHECK(family.parameters.count(one.name) == 1);
}
