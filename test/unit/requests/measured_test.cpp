// Single collectives and products on a machine that was measured.
#include <cmath>
#include <steelyard/advisor.hpp>
#include <steelyard/requests.hpp>

#include "support/catch.hpp"

using namespace steelyard;

namespace {

Measurement timed(const std::string& metric, std::map<std::string, double> at, double seconds) {
  Measurement out;
  out.metric = metric;
  out.backend = metric == "gemm" ? "cuda" : "nccl";
  out.at = std::move(at);
  out.time.median_s = out.time.min_s = seconds;
  out.time.samples = 20;
  out.value = 1;
  out.unit = metric == "gemm" ? "tflops" : "gb_per_s";
  return out;
}

// Eight GPUs of one node at 100 us + 10 us a MiB; two nodes at 400 us + 50 us a MiB.
Calibration machine() {
  Calibration out;
  out.file = "here.yaml";
  out.date = "2026-11-30";
  out.machine.gpu = "NVIDIA A100-SXM4-80GB";
  out.machine.board = "A100-SXM4-80GB";
  out.machine.network = "infiniband";
  out.machine.network_gbit_per_s_per_node = 1600;
  for (double mib = 1.0 / 1024; mib <= 1024; mib *= 2) {
    out.measurements.push_back(timed("collective.all_reduce", {{"bytes", mib * 1048576}, {"ranks", 8}, {"nodes", 1}}, 1e-4 + 1e-5 * mib));
    out.measurements.push_back(timed("collective.all_reduce", {{"bytes", mib * 1048576}, {"ranks", 16}, {"nodes", 2}}, 4e-4 + 5e-5 * mib));
  }
  Measurement product = timed("gemm", {{"m", 4096}, {"n", 4096}, {"k", 4096}}, 1e-3);
  product.format = "bf16";
  product.state = "steady";
  out.measurements.push_back(product);
  return out;
}

Value answer(const Advisor& advisor, const std::string& request) { return answer_estimate(advisor, request, "request"); }

std::string all_reduce(double bytes, const std::string& box, const std::string& more = "") {
  return R"({"id": "1", "collective": {"kind": "all_reduce", "bytes": )" + std::to_string(bytes) + more + R"(}, "configuration": )" + box + "}";
}

const std::string one_node = R"({"gpu": "A100-SXM4-80GB", "gpus_per_node": 8, "intra_node": "nvlink"})";

std::string two_nodes(const std::string& kind) {
  return R"({"gpu": "A100-SXM4-80GB", "gpus_per_node": 8, "nodes": 2, "intra_node": "nvlink", "inter_node": {"kind": ")" + kind +
         R"(", "gbit_per_s_per_node": 1600}})";
}

}  // namespace

TEST_CASE("a collective that was measured is answered by its curve") {
  const Advisor advisor = Advisor::embedded().with_calibrations(std::vector<Calibration>{machine()});
  const Value near = answer(advisor, all_reduce(64 * 1048576.0, one_node));
  CHECK(near.find("time_us")->as_number() == Approx(740));
  CHECK(near.find("confidence")->as_string() == "calibrated");
  CHECK(near.find("measured")->as_list()[0].as_string() == "all_reduce over 8 ranks measured with nccl on 2026-11-30, measured");
  CHECK(near.at_path("interval.low")->as_number() < 740);
  const Value far = answer(advisor, all_reduce(64 * 1048576.0, two_nodes("infiniband")));
  CHECK(far.find("time_us")->as_number() == Approx(3600));
  CHECK(far.find("busbw_gb_per_s")->as_number() == Approx(64 * 1048576.0 * 2 * 15 / 16 / 3.6e-3 / 1e9));
}

TEST_CASE("what was not measured is estimated by the law, with the measured rates where they hold") {
  const Advisor plain = Advisor::embedded();
  const Advisor advisor = plain.with_calibrations(std::vector<Calibration>{machine()});
  const auto time = [&](const Advisor& one, const std::string& request) { return answer(one, request).find("time_us")->as_number(); };
  const std::string other_network = all_reduce(64 * 1048576.0, two_nodes("roce"));
  CHECK(!answer(advisor, other_network).find("confidence")->as_string().starts_with("calibrated"));
  const std::string ring = all_reduce(64 * 1048576.0, one_node, R"(, "algo": "ring")");
  CHECK(time(advisor, ring) != Approx(time(plain, ring)));  // by the measured rate of the link
  CHECK(answer(advisor, ring).find("measured"));
  const std::string other_board = all_reduce(64 * 1048576.0, R"({"gpu": "H100-SXM5-80GB", "gpus_per_node": 8, "intra_node": "nvlink"})");
  CHECK(time(advisor, other_board) == time(plain, other_board));
  CHECK(!answer(advisor, other_board).find("measured"));
  const std::string larger = all_reduce(16.0 * 1073741824, two_nodes("infiniband"));
  CHECK(time(advisor, larger) == Approx(0.4e3 + 50 * 16384).epsilon(0.35));
  CHECK(answer(advisor, larger).find("measured")->as_list().size() == 3);
}

TEST_CASE("a product of a measured format is answered by what was measured") {
  const Advisor advisor = Advisor::embedded().with_calibrations(std::vector<Calibration>{machine()});
  const std::string request =
      R"({"id": "1", "gemm": {"m": 4096, "n": 4096, "k": 4096, "dtype": "bf16"}, "configuration": {"gpu": "A100-SXM4-80GB"}})";
  CHECK(answer(advisor, request).find("time_us")->as_number() == Approx(1000));
  CHECK(answer(advisor, request).find("measured")->as_list()[0].as_string() == "bf16 matrix products measured with cuda on 2026-11-30, measured");
  CHECK(answer(Advisor::embedded(), request).find("confidence")->as_string() != "calibrated");
}
