#include <filesystem>
#include <fstream>
#include <steelyard/calibrate.hpp>
#include <steelyard/catalog.hpp>

#include "calibrate/class_references.hpp"
#include "calibrate/method.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"
#include "support/catch.hpp"
#include "unit/calibrate/samples.hpp"

using namespace steelyard;
using namespace steelyard::test;

namespace {

std::string first_issue(const std::string& text) {
  const auto loaded = read_calibration(text, "here.yaml");
  return loaded.issues.empty() ? "" : to_string(loaded.issues.front());
}

}  // namespace

TEST_CASE("a calibration file reads back as it was written") {
  Calibration calibration = gpu_calibration();
  derive_coefficients(calibration, nullptr);
  calibration.probes.push_back({"cuda.peer", "not_available", "one GPU only: \"peer\" needs two"});
  calibration.readings.push_back({"throttle_reason", "sw power cap", "", 0});
  calibration.machine.network = "roce";
  calibration.machine.network_gbit_per_s_per_node = 1600;
  const auto again = read_calibration(to_yaml(calibration), "here.yaml");
  REQUIRE(again);
  CHECK(again.issues.empty());
  CHECK(again.value->measurements == calibration.measurements);
  CHECK(again.value->coefficients == calibration.coefficients);
  CHECK(again.value->probes == calibration.probes);
  CHECK(again.value->readings == calibration.readings);
  CHECK(again.value->machine == calibration.machine);
  CHECK(again.value->software == calibration.software);
  CHECK(to_yaml(*again.value) == to_yaml(calibration));
}

TEST_CASE("faults of a calibration file have a place and a fix") {
  CHECK(first_issue("schema: steelyard.estimate/1\n").find("here.yaml:1:9: schema: expected 'steelyard.calibration/1'") == 0);
  CHECK(first_issue("date: 2026-11-30\n").find("schema is missing") != std::string::npos);
  const std::string head = "schema: steelyard.calibration/1\n";
  CHECK(first_issue(head + "measurments: []\n").find("did you mean measurements?") != std::string::npos);
  CHECK(first_issue(head + "measurements:\n  - {metric: gemm, backend: cuda, value: fast, unit: tflops, median_s: 1}\n")
            .find("value: expected a number, found 'fast'") != std::string::npos);
  CHECK(first_issue(head + "measurements:\n  - {metric: gemm, backend: cuda, value: 1, unit: gflops, median_s: 1}\n")
            .find("expected one of gb_per_s, tflops, us") != std::string::npos);
  CHECK(first_issue(head + "measurements:\n  - {metric: gemm, backend: cuda, value: -1, unit: tflops, median_s: 1}\n").find("value") !=
        std::string::npos);
  CHECK(first_issue(head + "machine: {network: myrinet}\n").find("found 'myrinet'") != std::string::npos);
  CHECK(first_issue("[1, 2").find("here.yaml:") == 0);
  CHECK(!load_calibration("/no/such/file.yaml"));
  CHECK(!load_calibration("/"));
}

TEST_CASE("several files give medians and the spread over the nodes") {
  std::vector<Calibration> several{gpu_calibration(), gpu_calibration(), gpu_calibration()};
  several[1].measurements[0].value *= 0.9;
  several[2].measurements[0].value *= 1.05;
  several[2].software["driver"] = "581.1";
  const double first = several[0].measurements[0].value;
  const Calibration merged = merge_calibrations(several);
  CHECK(merged.files == 3);
  CHECK(merged.measurements.size() == several[0].measurements.size());
  CHECK(merged.measurements[0].value == Approx(first));
  CHECK(merged.measurements[0].node_spread == Approx(0.15));
  CHECK(merged.measurements[0].time.samples == 3 * several[0].measurements[0].time.samples);
  CHECK(merged.measurements[1].node_spread == 0);
  CHECK(merged.software.at("driver") == "580.0, 581.1");
}

TEST_CASE("files of different GPUs are not merged") {
  const auto folder = std::filesystem::temp_directory_path() / "steelyard_merge_test";
  std::filesystem::create_directories(folder);
  Calibration other = gpu_calibration();
  other.machine.gpu = "NVIDIA H100 80GB HBM3";
  std::ofstream(folder / "a.yaml") << to_yaml(gpu_calibration());
  std::ofstream(folder / "b.yaml") << to_yaml(other);
  const auto mixed = load_calibrations({folder / "a.yaml", folder / "b.yaml"});
  CHECK(!mixed);
  REQUIRE(mixed.issues.size() == 1);
  CHECK(mixed.issues[0].message.find("differs from 'NVIDIA A100-SXM4-80GB'") != std::string::npos);
  const auto same = load_calibrations({folder / "a.yaml", folder / "a.yaml"});
  REQUIRE(same);
  CHECK(same.value->files == 2);
  CHECK(!load_calibrations({folder / "missing.yaml", folder / "a.yaml"}).issues.empty());
  std::filesystem::remove_all(folder);
}

TEST_CASE("shipped figures of the method and references are whole") {
  const calibration::Method& method = calibration::Method::embedded();
  REQUIRE(method.confidence.size() >= 2);
  CHECK(method.confidence_of(method.confidence[0].spread, 0.0) == "high");
  CHECK(method.confidence_of(method.confidence[0].spread + 1e-9, 0.0) == "medium");
  CHECK(method.confidence_of(1, std::nullopt) == method.confidence_otherwise);
  Issues issues;
  const auto references = calibration::read_references(load::embedded_document("data/evidence/class_references.yaml"), issues);
  for (const Issue& issue : issues) FAIL_CHECK(to_string(issue));
  CHECK(references.size() > 30);
  for (const auto& reference : references) {
    INFO(reference.board << " " << reference.metric);
    const Board* board = Catalog::embedded().find_board(reference.board).resolved();
    REQUIRE(board);
    CHECK(board->id == reference.board);
    CHECK(reference.value > 0);
  }
}
