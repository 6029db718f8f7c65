#include <cmath>
#include <steelyard/catalog.hpp>
#include <steelyard/run_time.hpp>

#include "estimate/serve/efficiency.hpp"
#include "load/embedded.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::estimate;

namespace {

Workload llama70b(const char* precision, int input, int output) {
  Workload out;
  out.task = "llm_inference";
  out.model = *Catalog::embedded().find_model("meta-llama/Meta-Llama-3-70B").resolved();
  out.precision = precision;
  out.serving = Serving{};
  out.serving->engine = "tensorrt-llm";
  out.serving->input_tokens = input;
  out.serving->output_tokens = output;
  return out;
}

Configuration node(const char* gpu, int gpus, const char* link = "nvlink") {
  Configuration out;
  out.board = Catalog::embedded().find_board(gpu).resolved();
  REQUIRE(out.board);
  out.gpus_per_node = gpus;
  out.intra_node = gpus > 1 ? link : "none";
  return out;
}

Plan tensor(int degree) {
  Plan out;
  out.tensor = degree;
  return out;
}

ServeJob simple_job() {
  ServeJob job;
  job.layers = 10, job.hidden = 1000, job.heads = 10, job.head_dim = 100, job.kv_heads = 10;
  job.parameters = job.active = 1e9;
  job.kv_token_bytes = 1e5;
  job.peak = job.peak_16 = 100e12, job.memory_rate = 1e12, job.usable_bytes = 80e9;
  job.input = 100, job.output = 100, job.concurrency = 1;
  return job;
}

/// Everything that the machine does, at its peaks, and nothing of the host.
BatchingLaw ideal() {
  BatchingLaw law;
  law.prefill_16 = law.weight_read = law.kv_read = law.attention = law.link_share = law.memory_share = law.first_token_host = 1;
  law.step_us = law.layer_us = law.expert_layer_us = law.token_us = law.nvlink_latency_us = law.pcie_latency_us = law.exchange_latency_us = 0;
  return law;
}

}  // namespace

TEST_CASE("one request decodes at the rate at which its weights and cache are read") {
  ServeJob job = simple_job();
  job.input = 1, job.output = 1000;
  const ServeTimes times = batching_times(job, ideal());
  const double step = 2e9 / 1e12 + 501 * 1e5 / 1e12;  // 2 bytes a parameter, half of the output in the cache
  CHECK(times.per_token == Approx(step).epsilon(1e-3));
  CHECK(times.batch == 1);
}

TEST_CASE("a prompt takes two operations a parameter and token") {
  ServeJob job = simple_job();
  job.input = 10000, job.output = 1;
  const double products = 2 * 1e9 * 10000 / 100e12, attention = 2 * 10 * 100 * 1e4 * 1e4 * 10 / 100e12;
  CHECK(batching_times(job, ideal()).first == Approx(products + attention).epsilon(1e-3));
}

TEST_CASE("the highest load is what memory holds beside the weights") {
  ServeJob job = simple_job();
  job.concurrency = 0;
  BatchingLaw law = ideal();
  law.most_requests = 1e12;
  CHECK(batching_times(job, law).batch == Approx((80e9 - 2e9) / (1e5 * 180)));
  law.most_requests = 100;
  CHECK(batching_times(job, law).batch < 100);
  job.concurrency = 50;
  CHECK(batching_times(job, law).batch == 50);
}

TEST_CASE("a window saves cache reads and memory") {
  ServeJob job = simple_job();
  job.input = 8000, job.output = 1000, job.concurrency = 64;
  ServeJob windowed = job;
  windowed.window = 128, windowed.window_share = 0.5;
  CHECK(batching_times(windowed, ideal()).memory_bound < 0.6 * batching_times(job, ideal()).memory_bound);
  job.concurrency = windowed.concurrency = 0;
  CHECK(batching_times(windowed, ideal()).batch > 1.9 * batching_times(job, ideal()).batch);
}

TEST_CASE("experts: few tokens touch few, many touch all") {
  ServeJob job = simple_job();
  job.experts = 100, job.experts_per_token = 2, job.routed = 0.9e9, job.active = 0.1e9 + 0.9e9 * 0.02;
  job.input = 1, job.output = 2;
  BatchingLaw law = ideal();
  const double one = batching_times(job, law).per_token;
  CHECK(one == Approx(2 * 0.118e9 / 1e12).epsilon(0.02));
  job.concurrency = 1000;
  job.peak = job.peak_16 = 1e18;
  CHECK(batching_times(job, law).per_token * 1000 == Approx(2e9 / 1e12).epsilon(0.15));
}

TEST_CASE("tensor parallel shortens a step and pays for its exchanges; replicas multiply the rate") {
  ServeJob job = simple_job();
  const ServeTimes one = batching_times(job, ideal());
  job.gpus = job.tensor = 4, job.link = 100e9, job.nvlink = true;
  const ServeTimes four = batching_times(job, ideal());
  CHECK(four.per_token < one.per_token / 2);
  CHECK(four.exchange_bytes == Approx(4 * 10 * 0.75 * 1000 * 2));
  BatchingLaw slow = ideal();
  slow.nvlink_latency_us = 1000;
  CHECK(batching_times(job, slow).per_token > one.per_token);
  job.gpus = 8;
  job.concurrency = 2;
  CHECK(batching_times(job, ideal()).per_token == Approx(four.per_token / 2));
}

TEST_CASE("a stream over several GPUs: decode gains nothing, prompts run as a pipeline") {
  ServeJob job = simple_job();
  job.single_stream = true, job.fp16_peak_any = 100e12, job.input = 8192, job.output = 1;
  StreamLaw law;
  law.prefill_hop_us = law.hop_us = 0;
  const double one = stream_times(job, law).latency;
  job.gpus = 4;
  CHECK(stream_times(job, law).latency == Approx(one / (law.chunks_in_flight * 4 / (law.chunks_in_flight + 3))));
  job.input = 100;
  const double short_prompt = stream_times(job, law).latency;
  job.gpus = 1;
  CHECK(stream_times(job, law).latency == Approx(short_prompt));
  ServeJob decode = simple_job();
  decode.single_stream = true, decode.fp16_peak_any = 100e12, decode.input = 1, decode.output = 512;
  const double token = stream_times(decode, law).per_token;
  decode.weight_bytes = 0.6, decode.quantized = true;
  CHECK(stream_times(decode, law).per_token < token);
}

TEST_CASE("estimate_serving: replicas, formats, confidence, interval") {
  const Workload job = llama70b("fp8", 1000, 1000);
  const TimeEstimate two = estimate_serving(job, node("H100-SXM5-80GB", 2), tensor(2));
  REQUIRE(two.output_tokens_per_s);
  CHECK(two.confidence == "same_gpu_and_framework");
  CHECK(two.interval->low < *two.output_tokens_per_s);
  CHECK(*two.requests_per_s == Approx(*two.output_tokens_per_s / 1000));
  const TimeEstimate eight = estimate_serving(job, node("H100-SXM5-80GB", 8), tensor(2));
  CHECK(*eight.output_tokens_per_s == Approx(4 * *two.output_tokens_per_s).epsilon(0.3));
  CHECK(*estimate_serving(job, node("H200-SXM-141GB", 2), tensor(2)).output_tokens_per_s > *two.output_tokens_per_s);
  Workload other = job;
  other.serving->engine = "sglang";
  const TimeEstimate foreign = estimate_serving(other, node("H100-SXM5-80GB", 2), tensor(2));
  CHECK(foreign.confidence == "same_gpu");
  CHECK(foreign.interval->high / foreign.interval->low > two.interval->high / two.interval->low);
  CHECK(estimate_serving(job, node("MI300X", 4), tensor(4)).confidence == "extrapolated");
  const TimeEstimate weight_only = estimate_serving(llama70b("int4", 128, 128), node("A100-SXM4-80GB", 1), tensor(1));
  CHECK(weight_only.output_tokens_per_s);
}

TEST_CASE("a request for one token is answered with the time to it") {
  const TimeEstimate first = estimate_serving(llama70b("fp8", 2048, 1), node("H100-SXM5-80GB", 4), tensor(4));
  CHECK(first.interval->of == "latency_ms");
  CHECK(*first.latency_ms > 20);
  CHECK(*first.latency_ms < 1000);
}

TEST_CASE("what is not known is named") {
  std::vector<std::string> missing;
  Workload job = llama70b("fp8", 100, 100);
  Configuration nothing;
  CHECK_FALSE(estimate_serving(job, nothing, {}, &missing).output_tokens_per_s);
  CHECK(missing == std::vector<std::string>{"configuration.gpu"});
  job.model.reset();
  CHECK_FALSE(estimate_serving(job, node("H100-SXM5-80GB", 1), {}, &missing).output_tokens_per_s);
  CHECK(missing == std::vector<std::string>{"workload.model"});
  job.model = Model{};
  job.model->params_b = 7;
  CHECK_FALSE(estimate_serving(job, node("H100-SXM5-80GB", 1), {}, &missing).output_tokens_per_s);
  CHECK(missing.size() == 1);
}

TEST_CASE("shipped files are read whole") {
  for (const char* name : {"data/efficiency/serving.yaml", "data/efficiency/serving_stream.yaml"}) {
    Issues issues;
    const FittedFamily family = read_fitted(load::embedded_document(name), issues);
    CHECK(issues.empty());
    CHECK(family.offsets.levels().size() > 30);
    CHECK_FALSE(family.sigmas.empty());
  }
  for (const auto& one : batching_parameters()) CHECK(ServeEfficiency::embedded().batching.parameters.count(one.name) == 1);
  for (const auto& one : stream_parameters()) CHECK(ServeEfficiency::embedded().stream.parameters.count(one.name) == 1);
}
