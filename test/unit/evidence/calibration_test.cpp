// Outputs as a calibration file: it reads back, gives the measured figures, and says of each output what became of it.
#include <steelyard/calibrate.hpp>
#include <steelyard/evidence.hpp>

#include "support/catch.hpp"
#include "support/samples.hpp"

using namespace steelyard;

namespace {

Calibration calibration_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += test::read_all(test::own_samples_folder() / name) + "\n";
  const Loaded<Calibration> loaded = read_calibration(to_json(as_calibration(read_tool_output(text)), 2), "cal.json");
  for (const Issue& issue : loaded.issues) UNSCOPED_INFO(to_string(issue));
  REQUIRE(loaded);
  CHECK(loaded.issues.empty());
  return *loaded.value;
}

const ProbeOutcome& outcome(const Calibration& calibration, const std::string& probe) {
  for (const ProbeOutcome& one : calibration.probes) {
    if (one.probe == probe) return one;
  }
  FAIL(probe << " is not there");
  return calibration.probes.front();
}

}  // namespace

TEST_CASE("a collective becomes a curve that answers at and between its sizes") {
  const Calibration calibration = calibration_of({"nccl_allreduce_h800.log"});
  CHECK(calibration.machine.gpu == "NVIDIA H800");
  CHECK(calibration.machine.ranks == 8);
  CHECK(calibration.machine.gpus_per_node == 8);
  CHECK(outcome(calibration, "read.nccl-tests").outcome == "measured");
  const MeasuredMachine machine(calibration);
  const auto largest = machine.collective_s("all_reduce", 8, 1, 8589934592.0);
  REQUIRE(largest);
  CHECK(8589934592.0 * 1.75 / largest->value / 1e9 == Approx(166.28).epsilon(0.01));
  CHECK(machine.collective_s("all_reduce", 8, 1, 3e9));
  CHECK_FALSE(machine.collective_s("all_reduce", 16, 2, 3e9));
}

TEST_CASE("copies, streams and products of one machine go into one file") {
  const Calibration calibration = calibration_of({"nvbandwidth_h100_v08.txt", "gpu_burn_h100_ok.log"});
  const MeasuredMachine machine(calibration);
  CHECK(calibration.machine.board == "H100-SXM5-80GB");
  CHECK(calibration.software.at("driver") == "570.86.15");
  CHECK(machine.transfer_gb_per_s("h2d")->value == Approx(55.1));
  CHECK(machine.peer_gb_per_s()->value == Approx(396.2));
  const auto product = machine.gemm_tflops("tf32");
  REQUIRE(product);
  CHECK(product->value == Approx(386.931));
  const MeasuredMachine stream(calibration_of({"babelstream_h100pcie.txt"}));
  CHECK(stream.memory_gb_per_s("triad")->value == Approx(1841.0022));
  CHECK(MeasuredMachine(calibration_of({"stream_epyc.log"})).host_memory_gb_per_s("copy")->value == Approx(301.1221));
}

TEST_CASE("what cannot be used is named, not guessed") {
  const Calibration mixed = calibration_of({"nvbandwidth_h100_v08.txt", "babelstream_a100_half.txt", "ib_write_bw_hdr_weak.log"});
  CHECK(outcome(mixed, "read.babelstream").because == "it was measured on another GPU than the first output");
  CHECK(outcome(mixed, "read.perftest").outcome == "not_available");
  for (const Measurement& one : mixed.measurements) CHECK(one.metric.rfind("memory.", 0) != 0);
  const Calibration unnamed = calibration_of({"nccl_allgather_v100_old.log"});
  CHECK(outcome(unnamed, "read.nccl-tests").outcome == "not_available");
  CHECK(unnamed.measurements.empty());
}
