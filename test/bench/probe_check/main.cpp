// steelyard_probe_check: do the host probes reach what plain programs reach? Triad against STREAM's loop in C, products against a direct call of
// Eigen, in turns in one run. Exit code 1 where one is off by more than a tenth. Not part of the tests, which time nothing.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "calibrate/rates.hpp"
#include "probe_check/stream.h"
#include "probes/host/probes.hpp"
#include "probes/host/threads.hpp"
#include "probes/run/lines.hpp"

namespace {

using namespace steelyard;
using namespace steelyard::probes;

constexpr int kRounds = 5, kPasses = 12;
constexpr int kEdge = 512;

Calibration measured(Probe& probe, double budget_s) {
  Calibration out;
  Output output([&](std::string_view line) { take_line(line, out); });
  Request request;
  request.probe = std::string(probe.name());
  request.budget_s = budget_s;
  request.most_bytes = 128 << 20;
  probe.run(request, output);
  return out;
}

double stream_gb_per_s(double bytes) {
  const std::vector<int> processors = allowed_processors();
  std::vector<double> seconds(kPasses);
  if (stream_triad(static_cast<std::size_t>(bytes) / sizeof(double), static_cast<int>(processors.size()), processors.data(), kPasses,
                   seconds.data()) != 0)
    return 0;
  return calibration::gb_per_s(*calibration::stream_bytes("triad", bytes), *std::min_element(seconds.begin(), seconds.end()));
}

double eigen_tflops() {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Constant(kEdge, kEdge, 2), b = Eigen::MatrixXd::Constant(kEdge, kEdge, 3);
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(kEdge, kEdge);
  double best = 1e9;
  for (int pass = 0; pass < kPasses; ++pass) {
    const double start = now_s();
    c.noalias() = a * b;
    best = std::min(best, now_s() - start);
  }
  return c(0, 0) == 6.0 * kEdge ? calibration::tflops(kEdge, kEdge, kEdge, best) : 0;
}

// Best rates of all rounds, as STREAM counts: what other programs take away is not the loop's fault.
struct Best {
  double probe = 0, plain = 0;
};

bool report(const char* what, const char* unit, const Best& best) {
  const double ratio = best.probe / best.plain;
  const bool good = std::abs(ratio - 1) <= 0.1;
  std::printf("%-6s probe %8.4g %s, plain %8.4g %s, ratio %.3f: %s\n", what, best.probe, unit, best.plain, unit, ratio,
              good ? "within a tenth" : "OFF");
  return good;
}

// The rate of a point's best block.
double best_rate(const Measurement& one) { return one.value * one.time.median_s / one.time.min_s; }

bool check_triad() {
  Best best;
  const auto probe = host_memory_probe();
  for (int round = 0; round < kRounds; ++round) {
    const Calibration found = measured(*probe, 1);
    const Measurement& last = found.measurements.back();
    best.probe = std::max(best.probe, best_rate(last));
    best.plain = std::max(best.plain, stream_gb_per_s(*last.condition("bytes")));
  }
  return report("triad", "GB/s", best);
}

bool check_product() {
  Best best;
  const auto probe = host_gemm_probe();
  pin_to(allowed_processors().front());  // both on one processor
  for (int round = 0; round < kRounds; ++round) {
    best.plain = std::max(best.plain, eigen_tflops());
    for (const Measurement& one : measured(*probe, 2).measurements) {
      if (one.format == "fp64" && one.condition("m") == kEdge && one.condition("n") == kEdge) best.probe = std::max(best.probe, best_rate(one));
    }
  }
  return report("gemm", "TFLOPS", best);
}

}  // namespace

int main() {
  const bool triad = check_triad();
  const bool product = check_product();
  return triad && product ? 0 : 1;
}
