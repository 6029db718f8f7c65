// What a calibration changes in an estimate: the measured board, nothing else.
#include <cmath>
#include <steelyard/advisor.hpp>
#include <steelyard/kernels.hpp>

#include "support/catch.hpp"

using namespace steelyard;

namespace {

constexpr const char* kBoard = "H100-SXM5-80GB";

Workload pretraining() {
  return value_or_throw(parse_workload(R"({"task": "pretrain", "model": "meta-llama/Meta-Llama-3-8B", "sequence_length": 4096, "precision": "bf16",
    "batch": {"micro": 1, "global": 128}, "parallel": {"tensor": 2, "pipeline": 1}, "sharding": "zero1", "activation_checkpointing": "full",
    "work": {"tokens": 1e9}})",
                                       "job", Catalog::embedded()));
}

Configuration box(const std::string& gpu, int gpus = 8) {
  return value_or_throw(parse_configuration(
      R"({"gpu": ")" + gpu + R"(", "gpus_per_node": )" + std::to_string(gpus) + R"(, "nodes": 1, "intra_node": "nvlink", "host_memory_gib": 1024})",
      "box", Catalog::embedded()));
}

void add(Calibration& calibration, const std::string& name, double value, const std::string& unit) {
  Coefficient one;
  one.name = name;
  one.value = value;
  one.unit = unit;
  one.spread = 0.01;
  calibration.coefficients.push_back(one);
}

// The class reference of this board is 794.5 TFLOPS in bf16; none is known for its triad, so that the usual share of the peak counts.
Calibration measured(double product_share, double memory_gb_per_s) {
  Calibration out;
  out.file = "here.yaml";
  out.machine.gpu = "NVIDIA H100 80GB HBM3";
  out.machine.board = kBoard;
  add(out, "gemm.bf16", 794.5 * product_share, "tflops");
  add(out, "memory.triad", memory_gb_per_s, "gb_per_s");
  return out;
}

// An all_reduce over `gpus` GPUs that runs at one bus bandwidth whatever the size.
void add_link(Calibration& calibration, int gpus, double bus_gb_per_s) {
  for (double bytes = 1 << 20; bytes <= 1u << 30; bytes *= 4) {
    Measurement one;
    one.metric = "collective.all_reduce";
    one.backend = "nccl";
    one.at = {{"bytes", bytes}, {"ranks", gpus}, {"nodes", 1}};
    one.time.median_s = one.time.min_s = bytes * 2 * (gpus - 1) / gpus / (bus_gb_per_s * 1e9);
    one.time.samples = 20;
    one.value = bus_gb_per_s;
    one.unit = "gb_per_s";
    calibration.measurements.push_back(one);
  }
}

// Two nodes of eight whose all_reduce takes as long as the network: a start-up time, and a rate that leaves a node.
Calibration over_network(double gb_per_s, double latency_s) {
  Calibration out;
  out.file = "two.yaml";
  out.machine.gpu = "NVIDIA H100 80GB HBM3";
  out.machine.board = kBoard;
  out.machine.ranks = 16;
  out.machine.nodes = 2;
  out.machine.network = "infiniband";
  out.machine.network_gbit_per_s_per_node = 3200;
  for (double bytes = 256; bytes <= 1u << 30; bytes *= 4) {
    Measurement one;
    one.metric = "collective.all_reduce";
    one.backend = "nccl";
    one.at = {{"bytes", bytes}, {"ranks", 16}, {"nodes", 2}};
    const double root = std::sqrt(latency_s) + std::sqrt(bytes / (gb_per_s * 1e9));  // the knee that the law was fitted with is near 1/2
    one.time.median_s = one.time.min_s = root * root;
    one.time.samples = 20;
    one.value = bytes * 2 * 15 / 16 / one.time.median_s / 1e9;
    one.unit = "gb_per_s";
    out.measurements.push_back(one);
  }
  return out;
}

Configuration cluster(const std::string& kind, double gbit) {
  Configuration out = box(kBoard);
  out.nodes = 2;
  out.inter_node.kind = kind;
  out.inter_node.gbit_per_s_per_node = gbit;
  return out;
}

Estimate estimated(const Configuration& configuration, const std::vector<Calibration>& calibrations) {
  return Advisor::embedded().with_calibrations(calibrations).estimate(pretraining(), configuration);
}

std::vector<std::string> measured_names(const Estimate& estimate) {
  std::vector<std::string> out;
  for (const Reason& one : estimate.warnings) {
    if (one.code == "measured") out.push_back(one.rule);
  }
  return out;
}

}  // namespace

TEST_CASE("a slower machine than its class is estimated slower, by name of what was measured") {
  const Estimate plain = Advisor::embedded().estimate(pretraining(), box(kBoard));
  const Estimate slow = estimated(box(kBoard), {measured(0.8, 2600)});
  REQUIRE(plain.time.step_time_s);
  CHECK(*slow.time.step_time_s > 1.1 * *plain.time.step_time_s);
  CHECK(*slow.time.step_time_s < *plain.time.step_time_s / 0.75);
  CHECK(slow.time.confidence == "calibrated");
  CHECK(measured_names(slow) == std::vector<std::string>{"calibration.gemm.bf16", "calibration.memory.triad"});
  CHECK(slow.warnings.front().message.find("gemm.bf16 measured at 635.6 tflops (here.yaml), 0.8 of the 794.5 expected of its class") == 0);
  // Shares are still those of the vendor's peak.
  CHECK(*slow.time.mfu * *slow.time.step_time_s == Approx(*plain.time.mfu * *plain.time.step_time_s));
  CHECK(slow.effective.peak_tflops == plain.effective.peak_tflops);
  CHECK(slow.memory.peak_gib == plain.memory.peak_gib);
}

TEST_CASE("a machine as fast as its class is estimated as before, but surer") {
  const Estimate plain = Advisor::embedded().estimate(pretraining(), box(kBoard));
  Calibration same = measured(1, 1);
  same.coefficients.pop_back();
  const Estimate found = estimated(box(kBoard), {same});
  CHECK(*found.time.step_time_s == Approx(*plain.time.step_time_s));
  CHECK(found.time.confidence == "calibrated");
}

TEST_CASE("another board, and a file without a GPU, change nothing") {
  const Estimate plain = Advisor::embedded().estimate(pretraining(), box("A100-SXM4-80GB"));
  const Estimate other = estimated(box("A100-SXM4-80GB"), {measured(0.5, 1000)});
  CHECK(other.time.step_time_s == plain.time.step_time_s);
  CHECK(other.time.confidence == plain.time.confidence);
  CHECK(measured_names(other).empty());
  Calibration host;
  add(host, "host.gemm.fp64", 0.1, "tflops");
  CHECK(measured_names(estimated(box(kBoard), {host})).empty());
}

TEST_CASE("a slow link counts for boxes of as many GPUs, over the link that was measured") {
  Calibration slow = measured(1, 1);
  slow.coefficients.clear();
  add_link(slow, 8, 150);
  const Estimate plain = Advisor::embedded().estimate(pretraining(), box(kBoard));
  const Estimate found = estimated(box(kBoard), {slow});
  CHECK(measured_names(found) == std::vector<std::string>{"calibration.collective.all_reduce.bus_bandwidth"});
  CHECK(found.time.breakdown_s.at("communication_exposed") > 1.5 * plain.time.breakdown_s.at("communication_exposed"));
  CHECK(found.time.breakdown_s.at("compute") == Approx(plain.time.breakdown_s.at("compute")));
  CHECK(measured_names(estimated(box(kBoard, 4), {slow})).empty());
  Configuration slots = box(kBoard);
  slots.intra_node = "pcie";
  CHECK(measured_names(estimated(slots, {slow})).empty());
}

TEST_CASE("a slow slot counts for boxes without NVLink") {
  Calibration slow = measured(1, 1);
  slow.coefficients.clear();
  add_link(slow, 8, 4);
  Configuration slots = box(kBoard);
  slots.intra_node = "pcie";
  const Estimate plain = Advisor::embedded().estimate(pretraining(), slots);
  const Estimate found = estimated(slots, {slow});
  CHECK(measured_names(found) == std::vector<std::string>{"calibration.collective.all_reduce.bus_bandwidth"});
  CHECK(*found.time.step_time_s > *plain.time.step_time_s);
  CHECK(measured_names(estimated(box(kBoard), {slow})).empty());
}

TEST_CASE("copies between GPU and host count where states are offloaded") {
  Workload offloaded = pretraining();
  offloaded.offload = "optimizer";
  Calibration slow = measured(1, 1);
  slow.coefficients.clear();
  add(slow, "transfer.h2d", 12.5, "gb_per_s");
  add(slow, "transfer.d2h", 13, "gb_per_s");
  const Estimate plain = Advisor::embedded().estimate(offloaded, box(kBoard));
  const Estimate found = Advisor::embedded().with_calibrations(std::vector<Calibration>{slow}).estimate(offloaded, box(kBoard));
  REQUIRE(plain.time.step_time_s);
  CHECK(*found.time.step_time_s > 1.01 * *plain.time.step_time_s);
  CHECK(measured_names(found) == std::vector<std::string>{"calibration.transfer.h2d", "calibration.transfer.d2h"});
  CHECK(found.warnings.front().message.find("transfer.h2d measured at 12.5 gb_per_s (here.yaml), 0.248 of the 50.43 expected") == 0);
  // Without offload nothing passes the slot.
  const Estimate kept = estimated(box(kBoard), {slow});
  CHECK(measured_names(kept).empty());
  CHECK(*kept.time.step_time_s == Approx(*Advisor::embedded().estimate(pretraining(), box(kBoard)).time.step_time_s));
}

TEST_CASE("a measured network counts for clusters of its kind and rate, and for no others") {
  const Calibration slow = over_network(40, 200e-6);
  const Configuration two = cluster("infiniband", 3200);
  const Estimate plain = Advisor::embedded().estimate(pretraining(), two);
  const Estimate found = estimated(two, {slow});
  REQUIRE(plain.time.step_time_s);
  CHECK(measured_names(found) == std::vector<std::string>{"calibration.collective.all_reduce.network_bandwidth"});
  CHECK(*found.time.step_time_s > *plain.time.step_time_s);
  // All of the time is the network's: its rate is found again.
  for (const Reason& one : found.warnings) {
    if (one.code == "measured") CHECK(*one.actual == Approx(40).epsilon(0.1));
  }
  for (const Configuration& other : {cluster("roce", 3200), cluster("infiniband", 1600)}) CHECK(measured_names(estimated(other, {slow})).empty());
  Configuration wide = two;
  wide.gpus_per_node = 4;
  CHECK(measured_names(estimated(wide, {slow})).empty());
  Calibration unnamed = slow;
  unnamed.machine.network.clear();
  CHECK(measured_names(estimated(two, {unnamed})).empty());
}

TEST_CASE("a network as the estimate expects it changes nothing") {
  const Configuration two = cluster("infiniband", 3200);
  Calibration same = over_network(40, 200e-6);
  for (Measurement& one : same.measurements) one.time.median_s = *estimate_collective("all_reduce", *one.condition("bytes"), two).time_us * 1e-6;
  const Estimate plain = Advisor::embedded().estimate(pretraining(), two), found = estimated(two, {same});
  CHECK(measured_names(found).size() == 1);
  CHECK(*found.time.step_time_s == Approx(*plain.time.step_time_s).epsilon(0.01));
}

TEST_CASE("faults of calibration files are issues of the advisor") {
  const auto none = Advisor::embedded().with_calibrations(std::vector<std::filesystem::path>{"/no/such/file.yaml"});
  CHECK(!none);
  REQUIRE(!none.issues.empty());
  CHECK(none.issues.front().where.file == "/no/such/file.yaml");
}
