// The NCCL engine on simulated GPUs: one process with all of them, and one rank a thread; then whole runs through the plugins.
#include <atomic>
#include <cstdlib>
#include <map>
#include <steelyard/calibrate.hpp>

#include "fakes/gpu/fake_gpu.hpp"
#include "probes/nccl/engine.hpp"
#include "probes/ranks/threads.hpp"
#include "probes/run/lines.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::probes;
using fakes::gpus;

namespace {

struct Machine {
  Machine() { fakes::reset(); }
  ~Machine() { fakes::reset(); }
};

Calibration measured(CollectiveEngine& engine, double budget_s = 0.4) {
  Calibration out;
  Output output([&](std::string_view line) { take_line(line, out); });
  Request request;
  request.budget_s = budget_s;
  measure_collectives(engine, request, output);
  derive_coefficients(out, nullptr);
  return out;
}

std::map<std::string, double> coefficients(const Calibration& calibration) {
  std::map<std::string, double> out;
  for (const Coefficient& one : calibration.coefficients) out[one.name] = one.value;
  return out;
}

}  // namespace

TEST_CASE("one process with all its GPUs finds latency and bus bandwidth of every collective") {
  const Machine machine;
  gpus().devices = 4;
  gpus().collective_rate = 1e9;
  nccl::NcclCollectives engine(nullptr, 0);
  CHECK(engine.ranks() == 4);
  const auto found = coefficients(measured(engine, 1));
  for (const char* kind : {"all_reduce", "all_gather", "reduce_scatter", "alltoall", "send_recv"}) {
    INFO(kind);
    CHECK(found.at("collective." + std::string(kind) + ".latency") == Approx(20).epsilon(0.1));
    CHECK(found.at("collective." + std::string(kind) + ".asymptotic_bus_bandwidth") == Approx(1).epsilon(0.1));
  }
}

TEST_CASE("one rank a process: the identity travels over the ranks, and all agree") {
  const Machine machine;
  gpus().devices = 3;
  gpus().collective_rate = 1e9;
  std::vector<Calibration> found(3);
  test::with_ranks(3, [&](Ranks& ranks) {
    nccl::NcclCollectives engine(&ranks, ranks.rank());
    found[static_cast<std::size_t>(ranks.rank())] = measured(engine);
  });
  REQUIRE(found[0].measurements.size() > 20);
  CHECK(found[0].measurements == found[1].measurements);
  CHECK(found[0].measurements == found[2].measurements);
  CHECK(coefficients(found[0]).at("collective.all_reduce.latency") == Approx(20).epsilon(0.1));
  CHECK(found[0].measurements[0].method.find("met over tcp") != std::string::npos);
}

TEST_CASE("wrong elements and failed calls of NCCL end the probe with a reason") {
  const Machine machine;
  nccl::NcclCollectives engine(nullptr, 0);
  for (const char* call : {"ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclRecv"}) {
    gpus().corrupt = call;
    CHECK_THROWS_WITH(measured(engine, 0.05), Catch::Contains("wrong elements; no speed is reported"));
  }
  gpus().corrupt = "";
  for (const char* call : {"ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclSend", "ncclCommGetAsyncError"}) {
    gpus().fail = {{call, 0}};
    CHECK_THROWS_AS(measured(engine, 0.05), ProbeFailure);
  }
  gpus().fail = {{"ncclCommInitAll", 0}};
  CHECK_THROWS_WITH(nccl::NcclCollectives(nullptr, 0), Catch::Contains("ncclCommInitAll: unhandled cuda error"));
}

TEST_CASE("a rank without a GPU says so") {
  const Machine machine;
  CHECK_THROWS_WITH(test::with_ranks(3, [&](Ranks& ranks) { nccl::NcclCollectives engine(&ranks, ranks.rank()); }),
                    Catch::Contains("local rank 2 has no GPU: 2 are visible") || Catch::Contains("closed the connection"));
}

namespace {

CalibrationRun whole_run(const std::string& faults, const std::string& backend = "auto") {
  setenv("STEELYARD_FAKE_GPU", faults.c_str(), 1);
  CalibrateOptions options;
  options.backend = backend;
  options.budget_s = backend == "nccl" ? 0.1 : 6;  // enough on slow and instrumented builds too: without time a probe is left out
  options.start_allowance_s = 60;
  options.date = "2026-11-30";
  options.most_bytes = 1 << 21;
  options.folders = {STEELYARD_FAKE_GPU_PLUGINS};
  CalibrationRun out = calibrate(options);
  unsetenv("STEELYARD_FAKE_GPU");
  return out;
}

std::string outcome(const CalibrationRun& run, const std::string& probe) {
  for (const ProbeOutcome& one : run.calibration.probes) {
    if (one.probe == probe) return one.outcome + (one.because.empty() ? "" : ": " + one.because);
  }
  return "";
}

}  // namespace

TEST_CASE("a whole calibration of a simulated box of four GPUs") {
  const CalibrationRun run = whole_run("devices=4", "cuda");
  for (const ProbeOutcome& one : run.calibration.probes) {
    INFO(one.probe << " " << one.because);
    CHECK(one.outcome == "measured");
  }
  CHECK(!run.failed);
  CHECK(run.calibration.machine.board == "A100-SXM4-80GB");
  CHECK(run.calibration.software.at("driver") == "580.00");
  const MeasuredMachine machine(run.calibration);
  CHECK(machine.gemm_tflops("bf16"));
  CHECK(machine.memory_gb_per_s());
  CHECK(machine.peer_access_share() == 1);
  CHECK(machine.transfer_gb_per_s("h2d"));
  CHECK(machine.launch_s()->value == Approx(4e-6).epsilon(0.01));
  CHECK(read_calibration(to_yaml(run.calibration), "x").issues.empty());
}

TEST_CASE("collectives through the plugin, with the transports of NCCL's log") {
  const CalibrationRun run = whole_run("devices=4", "nccl");
  CHECK(outcome(run, "nccl.collectives") == "measured");
  CHECK(run.calibration.software.at("nccl") == "2.28.9");
  CHECK(run.calibration.machine.ranks == 4);
  std::vector<std::string> transports;
  for (const Reading& one : run.calibration.readings) transports.push_back(one.value);
  CHECK(transports == std::vector<std::string>{"NVLS", "P2P/CUMEM"});
  CHECK(MeasuredMachine(run.calibration).collective_s("all_reduce", 4, 1, 1 << 20));
}

TEST_CASE("faults of the machine inside the plugins") {
  CHECK(outcome(whole_run("devices=1", "nccl"), "nccl") == "not_available: one GPU and one process: there is nothing to talk to");
  CHECK(outcome(whole_run("no_driver=old", "cuda"), "cuda") == "not_available: CUDA driver version is insufficient for CUDA runtime version");
  const CalibrationRun broken = whole_run("devices=2,fail=cudaMemcpyPeerAsync:0", "cuda");
  CHECK(outcome(broken, "cuda.peer") == "failed: cudaMemcpyPeerAsync: invalid argument");
  CHECK(outcome(broken, "cuda.memory") == "measured");
  CHECK(broken.failed);
  const CalibrationRun wrong = whole_run("devices=2,corrupt=ncclAllReduce", "nccl");
  CHECK(outcome(wrong, "nccl.collectives").find("failed: all_reduce of 8 bytes over 2 ranks: ") == 0);
  CHECK(wrong.calibration.measurements.empty());
}

TEST_CASE("an NCCL that hangs is killed at the deadline") {
  setenv("STEELYARD_FAKE_GPU", "devices=2,hang=ncclAllGather", 1);
  CalibrateOptions options;
  options.backend = "nccl";
  options.budget_s = 0.3;
  options.start_allowance_s = 2.5;
  options.most_bytes = 1 << 16;
  options.folders = {STEELYARD_FAKE_GPU_PLUGINS};
  const CalibrationRun run = calibrate(options);
  unsetenv("STEELYARD_FAKE_GPU");
  CHECK(outcome(run, "nccl.collectives") == "timed_out: no end within the deadline");
  // What was measured before is whole.
  CHECK(MeasuredMachine(run.calibration).collective_s("all_reduce", 2, 1, 1 << 10));
  CHECK(!MeasuredMachine(run.calibration).collective_s("all_gather", 2, 1, 1 << 10));
}
