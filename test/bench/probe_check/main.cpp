// steelyard_probe_check: do the host probes reach what plain programs reach? Triad against STREAM's loop in C, products against a direct call of
// Eigen. Probe and plain loop run in turns, so that what else the machine does hits both alike; the median of the rounds' ratios counts. Exit code 1
// where one is off by more than a tenth. Not part of the tests, which time nothing.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "calibrate/rates.hpp"
#include "calibrate/statistics.hpp"
#include "probe_check/plain_product.hpp"
#include "probe_check/stream.h"
#include "probes/host/probes.hpp"
#include "probes/host/threads.hpp"
#include "probes/run/lines.hpp"

namespace {

using namespace steelyard;
using namespace steelyard::probes;

constexpr int kRounds = 11, kPasses = 12;
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
  return calibration::gb_per_s(*calibration::stream_bytes("triad", bytes), calibration::median({seconds.begin() + 1, seconds.end()}));
}

double eigen_tflops() {
  bench::PlainProduct product(kEdge);
  product.seconds(1);
  std::vector<double> seconds;
  for (int pass = 0; pass < kPasses; ++pass) seconds.push_back(product.seconds(1));
  return calibration::tflops(kEdge, kEdge, kEdge, calibration::median(seconds));
}

// What both reached, round by round.
struct Rounds {
  std::vector<double> probe, plain, ratio;
  void add(double by_probe, double before, double after) {
    const double middle = (before + after) / 2;
    probe.push_back(by_probe), plain.push_back(middle), ratio.push_back(by_probe / middle);
  }
};

bool report(const char* what, const char* unit, Rounds rounds) {
  std::sort(rounds.ratio.begin(), rounds.ratio.end());
  const double ratio = calibration::quantile(rounds.ratio, 0.5);
  const bool good = std::abs(ratio - 1) <= 0.1;
  std::printf("%-6s probe %8.4g %s, plain %8.4g %s, ratio %.3f (quartiles %.3f to %.3f): %s\n", what, calibration::median(rounds.probe), unit,
              calibration::median(rounds.plain), unit, ratio, calibration::quantile(rounds.ratio, 0.25), calibration::quantile(rounds.ratio, 0.75),
              good ? "within a tenth" : "OFF");
  return good;
}

bool check_triad() {
  Rounds rounds;
  const auto probe = host_memory_probe();
  const double bytes = *measured(*probe, 1).measurements.back().condition("bytes");
  double before = stream_gb_per_s(bytes);
  for (int round = 0; round < kRounds; ++round) {
    const double by_probe = measured(*probe, 1).measurements.back().value;
    const double after = stream_gb_per_s(bytes);
    rounds.add(by_probe, before, after);
    before = after;
  }
  return report("triad", "GB/s", std::move(rounds));
}

// On one processor both: the probe's points on one thread.
bool check_product() {
  Rounds rounds;
  const auto probe = host_gemm_probe();
  double before = eigen_tflops();
  for (int round = 0; round < kRounds; ++round) {
    double by_probe = 0;
    for (const Measurement& one : measured(*probe, 2).measurements) {
      if (one.format == "fp64" && one.condition("m") == kEdge && one.condition("n") == kEdge && one.condition("threads") == 1) by_probe = one.value;
    }
    const double after = eigen_tflops();
    rounds.add(by_probe, before, after);
    before = after;
  }
  return report("gemm", "TFLOPS", std::move(rounds));
}

}  // namespace

int main() {
  const bool triad = check_triad();
  const bool product = check_product();
  return triad && product ? 0 : 1;
}
