// The CUDA probes on simulated GPUs: figures, faults, wrong data.
#include <steelyard/probe_abi.h>

#include <algorithm>
#include <map>

#include "fakes/gpu/fake_gpu.hpp"
#include "probes/cuda/kernels.hpp"
#include "probes/cuda/matmul.hpp"
#include "probes/cuda/probes.hpp"
#include "probes/run/lines.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::probes;
using fakes::gpus;

namespace {

struct Outcome {
  int result = 0;
  std::string why;
  Calibration found;

  std::vector<Measurement> of(const std::string& metric) const {
    std::vector<Measurement> out;
    std::copy_if(found.measurements.begin(), found.measurements.end(), std::back_inserter(out),
                 [&](const Measurement& one) { return one.metric == metric; });
    return out;
  }
  std::string reading(const std::string& name) const {
    for (const Reading& one : found.readings) {
      if (one.name == name) return one.value;
    }
    return {};
  }
};

Outcome run(const std::string& probe, double budget_s = 0.5) {
  Outcome out;
  Output output([&](std::string_view line) { REQUIRE(take_line(line, out.found)); });
  Request request;
  request.probe = probe;
  request.budget_s = budget_s;
  out.result = run_probe(cuda::cuda_probes(), request, output, out.why);
  return out;
}

// Every test gets a machine of its own.
struct Machine {
  Machine() { fakes::reset(); }
  ~Machine() { fakes::reset(); }
};

}  // namespace

TEST_CASE("memory: the rate of the simulated device is found") {
  const Machine machine;
  const Outcome out = run("cuda.memory");
  REQUIRE(out.result == STEELYARD_PROBE_OK);
  REQUIRE(out.of("memory.triad").size() == 2);  // a size each on two devices
  // Launches overlap with the work: 3 MiB take 1.8 us at 1.7 TB/s, a launch 4 us.
  for (const Measurement& one : out.of("memory.triad")) CHECK(one.time.median_s == Approx(4e-6).epsilon(0.05));
  gpus().memory_rate = 1e10;
  for (const Measurement& one : run("cuda.memory").of("memory.triad")) CHECK(one.value == Approx(10).epsilon(0.05));
  for (const Measurement& one : run("cuda.memory").of("memory.copy")) CHECK(one.value == Approx(10).epsilon(0.05));
}

TEST_CASE("wrong data in memory: no speed") {
  const Machine machine;
  gpus().corrupt = "kernel";
  const Outcome out = run("cuda.memory");
  CHECK(out.result == STEELYARD_PROBE_FAILED);
  CHECK(out.why.find("copy of") == 0);
  CHECK(out.why.find("wrong elements; no speed is reported") != std::string::npos);
  CHECK(out.found.measurements.empty());
}

TEST_CASE("every call that fails is told by its name") {
  const std::vector<std::pair<std::string, std::string>> cases{{"cuda.memory", "cudaMalloc"},
                                                               {"cuda.memory", "kernel"},
                                                               {"cuda.memory", "cudaSetDevice"},
                                                               {"cuda.memory", "cudaEventCreate"},
                                                               {"cuda.memory", "cudaStreamCreate"},
                                                               {"cuda.memory", "cudaMemGetInfo"},
                                                               {"cuda.memory", "cudaEventSynchronize"},
                                                               {"cuda.transfer", "cudaMallocHost"},
                                                               {"cuda.transfer", "cudaMemcpyAsync"},
                                                               {"cuda.peer", "cudaMemcpyPeerAsync"},
                                                               {"cuda.peer", "cudaDeviceEnablePeerAccess"},
                                                               {"cuda.peer", "cudaDeviceCanAccessPeer"},
                                                               {"cuda.launch", "kernel"},
                                                               {"cuda.launch", "cudaStreamSynchronize"},
                                                               {"cuda.gemm", "cublasLtMatmul"},
                                                               {"cuda.gemm", "cublasLtCreate"},
                                                               {"cuda.state", "cudaGetDeviceProperties"},
                                                               {"cuda.stress", "cudaMemcpy"}};
  for (const auto& [probe, call] : cases) {
    const Machine machine;
    gpus().fail[call] = 0;
    const Outcome out = run(probe);
    INFO(probe << " with " << call << ": " << out.why);
    CHECK(out.result == STEELYARD_PROBE_FAILED);
    CHECK(!out.why.empty());
    if (call.rfind("cuda", 0) == 0) CHECK(out.why.find(call) != std::string::npos);
  }
}

TEST_CASE("no driver and no GPU: not available with CUDA's words") {
  const Machine machine;
  gpus().no_driver = "old";
  for (const char* probe : {"cuda.memory", "cuda.gemm", "cuda.state"}) {
    const Outcome out = run(probe);
    CHECK(out.result == STEELYARD_PROBE_NOT_AVAILABLE);
    CHECK(out.why == "CUDA driver version is insufficient for CUDA runtime version");
  }
  gpus().no_driver = "none";
  CHECK(run("cuda.memory").why == "no NVIDIA driver is installed here (libcuda.so.1 was not found)");
  gpus().no_driver = "";
  gpus().devices = 0;
  CHECK(run("cuda.memory").why == "no CUDA-capable device is detected");
  gpus().devices = 1;
  CHECK(run("cuda.peer").result == STEELYARD_PROBE_NOT_AVAILABLE);
  CHECK(run("cuda.peer").why == "needs 2 GPUs, found 1");
}

TEST_CASE("copies between host and GPU") {
  const Machine machine;
  const Outcome out = run("cuda.transfer");
  REQUIRE(out.result == STEELYARD_PROBE_OK);
  const Measurement last = out.of("transfer.h2d").back();
  const double bytes = *last.condition("bytes");
  CHECK(last.time.median_s == Approx(5e-6 + bytes / 24e9).epsilon(0.01));
  CHECK(out.of("transfer.d2h").size() == out.of("transfer.h2d").size());
  gpus().corrupt = "cudaMemcpyAsync";
  CHECK(run("cuda.transfer").why.find("copies of 4096 bytes between host and GPU 0: 1 wrong elements") == 0);
}

TEST_CASE("copies between GPUs, with direct access and without") {
  const Machine machine;
  gpus().devices = 3;
  const Outcome direct = run("cuda.peer", 0.5);
  REQUIRE(direct.result == STEELYARD_PROBE_OK);
  CHECK(direct.of("peer.uni").size() == 6);
  CHECK(direct.of("peer.bi").size() == 3);
  CHECK(direct.of("peer.latency").front().value == Approx(5).epsilon(0.01));
  CHECK(direct.reading("peer_access_share") == "1.000000");
  const double bytes = *direct.of("peer.uni").front().condition("bytes");
  CHECK(direct.of("peer.uni").front().time.median_s == Approx(5e-6 + bytes / 250e9).epsilon(0.01));
  CHECK(direct.of("peer.bi").front().value == Approx(2 * direct.of("peer.uni").front().value).epsilon(0.02));
  gpus().peer_access = false;
  const Outcome staged = run("cuda.peer", 0.5);
  CHECK(staged.reading("peer_access_share") == "0.000000");
  CHECK(staged.of("peer.uni").front().value < direct.of("peer.uni").front().value);
  CHECK(staged.of("peer.uni").front().method.find("staged through the host") != std::string::npos);
  gpus().corrupt = "cudaMemcpyPeerAsync";
  CHECK(run("cuda.peer", 0.5).why.find("copy from GPU 0 to GPU 1: ") == 0);
}

TEST_CASE("launches, alone and from several processes") {
  const Machine machine;
  const Outcome out = run("cuda.launch");
  REQUIRE(out.result == STEELYARD_PROBE_OK);
  CHECK(out.of("launch.latency").front().value == Approx(4).epsilon(0.01));
  const Outcome many = run("cuda.processes");
  REQUIRE(many.result == STEELYARD_PROBE_OK);
  REQUIRE(many.of("launch.processes").size() == 2);
  CHECK(many.of("launch.processes")[0].value == Approx(200004).epsilon(0.001));
  CHECK(many.of("launch.processes")[1].time.samples == 4);
  gpus().fail["cudaFree"] = 0;
  CHECK(run("cuda.processes").result == STEELYARD_PROBE_NOT_AVAILABLE);
  CHECK(run("cuda.processes").why == "context: out of memory");
}

TEST_CASE("products of every format, the fastest algorithm, cold and steady") {
  const Machine machine;
  gpus().has_fp8 = true;
  const Outcome out = run("cuda.gemm", 5);
  INFO(out.why);
  REQUIRE(out.result == STEELYARD_PROBE_OK);
  std::map<std::string, int> cold, steady;
  for (const Measurement& one : out.of("gemm")) ++(one.state == "cold" ? cold : steady)[one.format];
  for (const char* format : {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8"}) CHECK(cold[format] == 7);
  CHECK(steady.size() == 1);
  CHECK(steady["bf16"] == 7);
  const Measurement largest = out.of("gemm")[6];  // the last of the first format
  const double m = *largest.condition("m"), n = *largest.condition("n"), k = *largest.condition("k");
  CHECK(largest.format == "fp64");
  CHECK(largest.time.median_s == Approx(std::max(4e-6, 16 * 2 * m * n * k / 250e12)).epsilon(0.05));
}

TEST_CASE("a format that the board lacks is a reading, not a fault; wrong products are one") {
  const Machine machine;
  const Outcome out = run("cuda.gemm", 2);
  REQUIRE(out.result == STEELYARD_PROBE_OK);
  CHECK(out.reading("no_product").find("fp8: ") == 0);
  gpus().corrupt = "cublasLtMatmul";
  const Outcome wrong = run("cuda.gemm", 2);
  CHECK(wrong.result == STEELYARD_PROBE_FAILED);
  CHECK(wrong.why.find("fp64 product: ") == 0);
  CHECK(wrong.why.find("of 64 entries wrong") != std::string::npos);
  CHECK(wrong.of("gemm").empty());
}

TEST_CASE("stress: errors under load are a fault, throttled blocks are counted") {
  const Machine machine;
  gpus().devices = 1;
  gpus().throttle_bits = 0x20;
  const Outcome out = run("cuda.stress", 0.3);
  INFO(out.why);
  REQUIRE(out.result == STEELYARD_PROBE_OK);
  CHECK(out.reading("stress_errors") == "0");
  REQUIRE(out.of("stress").size() == 1);
  CHECK(out.of("stress")[0].time.throttled == out.of("stress")[0].time.samples);
  gpus().throttle_bits = 1;  // idle is no throttling
  CHECK(run("cuda.stress", 0.3).of("stress")[0].time.throttled == 0);
}

TEST_CASE("state: names, versions, clocks, links, reasons of throttling") {
  const Machine machine;
  gpus().throttle_bits = 0x4 | 0x80;
  const Outcome out = run("cuda.state");
  REQUIRE(out.result == STEELYARD_PROBE_OK);
  CHECK(out.found.machine.gpu == "NVIDIA A100-SXM4-80GB");
  CHECK(out.found.machine.gpus_per_node == 2);
  CHECK(*out.found.machine.gpu_memory_gib == Approx(79.16));
  CHECK(out.found.software.at("cuda") == "13.0");
  CHECK(out.found.software.at("driver") == "580.00");
  CHECK(out.reading("sm_clock") == "1410");
  CHECK(out.reading("power") == "391.5");
  CHECK(out.reading("temperature") == "61");
  CHECK(out.reading("pcie_width") == "16");
  CHECK(out.reading("nvlinks_up") == "12");
  CHECK(out.reading("throttle_reason") == "sw power cap");
  SECTION("without NVML the rest stays") {
    gpus().fail["nvmlInit_v2"] = 0;
    const Outcome bare = run("cuda.state");
    REQUIRE(bare.result == STEELYARD_PROBE_OK);
    CHECK(bare.reading("nvml").find("not available: ") == 0);
    CHECK(bare.found.machine.gpus_per_node == 2);
  }
}

TEST_CASE("patterns: the operands on the device are those of the host") {
  const Machine machine;
  cuda::use_device(0);
  const cuda::Stream stream;
  const std::size_t count = 1000;
  const cuda::Buffer data(count * 8);
  REQUIRE(cuda::fill_operand(data.data(), cuda::Format::fp64, count, 3, stream.get()) == cudaSuccess);
  int seen[3] = {};
  for (std::size_t i = 0; i < count; ++i) {
    REQUIRE(data.as<double>()[i] == cuda::operand_value(i, 3));
    ++seen[cuda::operand_value(i, 3) + 1];
  }
  for (const int one : seen) CHECK(one > 200);
  cuda::WrongCount wrong;
  REQUIRE(cuda::fill_words(data.data(), 1600, 5, stream.get()) == cudaSuccess);
  data.as<unsigned>()[17] ^= 1;
  REQUIRE(cuda::check_words(data.data(), 1600, 5, wrong.on_device(), stream.get()) == cudaSuccess);
  CHECK(wrong.get(stream) == 1);
}
