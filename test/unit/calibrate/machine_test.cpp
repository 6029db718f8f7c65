#include <steelyard/calibrate.hpp>
#include <steelyard/catalog.hpp>

#include "calibrate/factors.hpp"
#include "calibrate/gemm_surface.hpp"
#include "support/catch.hpp"
#include "unit/calibrate/samples.hpp"

using namespace steelyard;
using namespace steelyard::test;

namespace {

const Board& board(const char* name) { return *Catalog::embedded().find_board(name).resolved(); }

const Coefficient* find(const Calibration& calibration, const std::string& name) {
  for (const Coefficient& one : calibration.coefficients) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("collectives are read off the curve, between and beyond the points") {
  const MeasuredMachine machine(gpu_calibration());
  const auto hit = machine.collective_s("all_reduce", 8, 1, 1 << 20);
  REQUIRE(hit);
  CHECK(hit->how == "measured");
  CHECK(hit->value == Approx(20e-6 + (1 << 20) / 134e9));
  CHECK(hit->what == "all_reduce over 8 ranks measured with nccl on 2026-11-30");
  const auto between = machine.collective_s("all_reduce", 8, 1, 3e6);
  CHECK(between->how == "interpolated");
  CHECK(between->value == Approx(20e-6 + 3e6 / 134e9).epsilon(0.02));
  const auto beyond = machine.collective_s("all_reduce", 8, 1, 16e9);
  CHECK(beyond->how == "extrapolated");
  CHECK(beyond->value == Approx(16e9 / 134e9).epsilon(0.02));
  CHECK(beyond->spread > between->spread);
}

TEST_CASE("what was not measured has no answer") {
  const MeasuredMachine machine(gpu_calibration());
  CHECK(!machine.collective_s("all_gather", 8, 1, 1 << 20));
  CHECK(!machine.collective_s("all_reduce", 8, 2, 1 << 20));
  CHECK(!machine.collective_s("all_reduce", 1, 1, 1 << 20));
  CHECK(!machine.collective_s("all_reduce", 8, 1, 0));
  CHECK(!machine.host_collective_s("all_reduce", 8, 1, 1 << 20));
  CHECK(!machine.gemm_s("fp8", 16, 16, 16));
  CHECK(!machine.memory_gb_per_s("copy"));
  CHECK(!machine.host_memory_gb_per_s());
  CHECK(!machine.peer_gb_per_s());
  CHECK(!machine.launch_s());
  CHECK(!machine.describes(board("H100-SXM5-80GB")));
  CHECK(!machine.factors(board("H100-SXM5-80GB")).memory);
}

TEST_CASE("other rank counts follow the measured ones") {
  Calibration calibration = gpu_calibration();
  SECTION("one count: bus bandwidth stays, latency grows slowly") {
    const auto four = MeasuredMachine(calibration).collective_s("all_reduce", 4, 1, 1 << 30);
    CHECK(four->how == "extrapolated");
    CHECK(four->value == Approx((1 << 30) / 134e9 * (1.5 / 1.75)).epsilon(0.01));
    const auto small = MeasuredMachine(calibration).collective_s("all_reduce", 16, 1, 8);
    CHECK(small->value == Approx(20e-6 * 1.2226).epsilon(0.01));
  }
  SECTION("two counts: their own law") {
    for (const double bytes : calibration::size_ladder(8, 1 << 30, 40)) {
      calibration.measurements.push_back(collective("all_reduce", 2, 1, bytes, 5e-6 + bytes / 134e9));
    }
    const MeasuredMachine machine(calibration);
    CHECK(machine.collective_s("all_reduce", 2, 1, 8)->value == Approx(5e-6).epsilon(0.01));
    CHECK(machine.collective_s("all_reduce", 4, 1, 8)->value == Approx(10e-6).epsilon(0.02));
    CHECK(machine.collective_s("all_reduce", 4, 1, 1 << 30)->value == Approx((1 << 30) / 134e9).epsilon(0.02));
  }
}

TEST_CASE("products are read off the surface, under load where that was measured") {
  const MeasuredMachine machine(gpu_calibration());
  CHECK(machine.gemm_s("bf16", 4096, 8192, 8192)->value == Approx(1.04 * product_s(4096, 8192, 8192)).epsilon(0.001));
  CHECK(machine.gemm_s("bf16", 4096, 8192, 8192)->how == "measured");
  const auto between = machine.gemm_s("bf16", 1024, 4096, 4096);
  CHECK(between->how == "interpolated");
  CHECK(between->value == Approx(1.04 * product_s(1024, 4096, 4096)).epsilon(0.05));
  const auto beyond = machine.gemm_s("bf16", 32768, 16384, 16384);
  CHECK(beyond->value == Approx(1.04 * product_s(32768, 16384, 16384)).epsilon(0.05));
  CHECK(beyond->spread > between->spread);
}

TEST_CASE("a surface of one point still answers in proportion") {
  const calibration::GemmSurface surface({{4096, 4096, 4096, 1e-3}}, 2);
  CHECK(surface.seconds(4096, 4096, 4096) == Approx(1e-3));
  CHECK(surface.seconds(8192, 8192, 8192) == Approx(8e-3).epsilon(0.15));
}

TEST_CASE("coefficients carry unit, spread, samples, fit error and confidence") {
  Calibration calibration = gpu_calibration();
  derive_coefficients(calibration, &board("A100-SXM4-80GB"));
  const Coefficient* latency = find(calibration, "collective.all_reduce.latency");
  REQUIRE(latency);
  CHECK(latency->value == Approx(20).epsilon(0.01));
  CHECK(latency->unit == "us");
  CHECK(latency->at.at("ranks") == 8);
  CHECK(latency->fit_error_median);
  CHECK(latency->samples == 20 * 28);
  CHECK(latency->confidence == "high");
  const Coefficient* bus = find(calibration, "collective.all_reduce.bus_bandwidth");
  CHECK(bus->value == Approx(134 * 1.75).epsilon(0.01));
  CHECK(find(calibration, "memory.triad")->value == 1759);
  CHECK(find(calibration, "gemm.bf16.steady_share")->value == Approx(1 / 1.04));
  CHECK(find(calibration, "factor.memory")->value == Approx(1759.0 / 2039).epsilon(0.001));
  CHECK(find(calibration, "factor.interconnect")->value == Approx(134 * 1.75 / 300).epsilon(0.01));
  const double best = find(calibration, "gemm.bf16")->value;
  CHECK(find(calibration, "factor.software")->value == Approx(best / 312));
  SECTION("without a board there are no factors, all else stays") {
    const std::size_t all = calibration.coefficients.size();
    derive_coefficients(calibration, nullptr);
    CHECK(calibration.coefficients.size() == all - 3);
    CHECK(!find(calibration, "factor.memory"));
  }
  SECTION("noise lowers the confidence") {
    for (Measurement& one : calibration.measurements) one.time.mad_s *= 20;
    derive_coefficients(calibration, nullptr);
    CHECK(find(calibration, "memory.triad")->confidence == "low");
  }
}

TEST_CASE("PCIe is the measure of a board whose NVLink shows no sign of life") {
  CHECK(*calibration::link_peak_gb_per_s(board("A100-SXM4-80GB"), 200) == Approx(300));
  CHECK(*calibration::link_peak_gb_per_s(board("A100-SXM4-80GB"), 20) == Approx(31.5).epsilon(0.01));
  CHECK(*calibration::link_peak_gb_per_s(board("RTX4090-24GB"), 20) == Approx(31.5).epsilon(0.01));
}

TEST_CASE("the class comparison names share, figures and source") {
  Calibration calibration = gpu_calibration();
  derive_coefficients(calibration, &board("A100-SXM4-80GB"));
  const auto all = compare_with_class(calibration);
  REQUIRE(all.size() == 3);  // floor of all_reduce over 8, triad, bf16
  for (const ClassComparison& one : all) {
    if (one.metric != "collective.all_reduce.bus_bandwidth") continue;
    CHECK(one.share == Approx(134 * 1.75 / 228).epsilon(0.01));
    INFO(one.sentence);
    CHECK(one.sentence.find("this A100-SXM4-80GB reaches 1 of the floor of its class in collective.all_reduce.bus_bandwidth (233.9 of 228 GB/s") ==
          0);
  }
  calibration.machine.board = "";
  CHECK(compare_with_class(calibration).empty());
}
