#include <steelyard/catalog.hpp>
#include <steelyard/run_time.hpp>

#include "estimate/speech/law.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::estimate;

namespace {

Configuration one(const char* gpu) {
  Configuration out;
  out.board = Catalog::embedded().find_board(gpu).resolved();
  REQUIRE(out.board);
  return out;
}

Workload listen(const char* model, const char* framework) {
  Workload out;
  out.task = "multimodal_inference";
  out.model_name = model;
  out.software.framework = framework;
  return out;
}

}  // namespace

TEST_CASE("13 minutes of speech on a V100S take what faster-whisper publishes") {
  const TimeEstimate time = estimate_speech(listen("openai/whisper-large-v2", "faster-whisper"), one("V100S-PCIe-32GB"));
  REQUIRE(time.latency_ms);
  CHECK(*time.latency_ms * 26 == Approx(54e3).epsilon(0.1));  // 26 windows of 30 s
  CHECK(time.confidence == "extrapolated");
}

TEST_CASE("windows that run together share the decoder's steps") {
  Workload batch = listen("openai/whisper-large-v3", "transformers");
  const Configuration box = one("A100-SXM4-80GB");
  const double alone = *estimate_speech(batch, box).samples_per_s;
  batch.serving = Serving{};
  batch.serving->concurrency = 24;
  const TimeEstimate many = estimate_speech(batch, box);
  CHECK(*many.samples_per_s > 10 * alone);
  CHECK(300 / *many.samples_per_s == Approx(98).epsilon(0.1));  // 150 minutes in 98 s
}

TEST_CASE("a small decoder is faster, unnamed software has a wider range, unknown models have no figure") {
  const Configuration box = one("A100-SXM4-80GB");
  const TimeEstimate large = estimate_speech(listen("openai/whisper-large", "faster-whisper"), box);
  CHECK(*estimate_speech(listen("openai/whisper-turbo", "faster-whisper"), box).latency_ms < *large.latency_ms / 3);
  const TimeEstimate unnamed = estimate_speech(listen("openai/whisper-large", ""), box);
  CHECK(unnamed.interval->high / unnamed.interval->low > large.interval->high / large.interval->low);
  CHECK(recognises_speech(listen("openai/whisper-small", "")));
  CHECK_FALSE(recognises_speech(listen("meta-llama/Llama-2-7b-hf", "")));
  std::vector<std::string> missing;
  CHECK_FALSE(estimate_speech(listen("nobody/asr", ""), box, &missing).latency_ms);
  CHECK(missing == std::vector<std::string>{"workload.model"});
}
