#include <algorithm>
#include <cmath>
#include <steelyard/run_time.hpp>

#include "estimate/efficiencies.hpp"
#include "estimate/folding/law.hpp"

namespace steelyard {

namespace {

using namespace estimate;

struct Shipped {
  FittedFamily fitted;
  FoldingLaw law;
};

const Shipped& shipped() {
  static const Shipped out = [] {
    Shipped made{embedded_family("folding"), {}};
    for (const FoldingParameter& one : folding_parameters()) made.law.*one.member = made.fitted.parameter(one.name, one.median);
    return made;
  }();
  return out;
}

}  // namespace

TimeEstimate estimate_folding(const Workload& workload, const Configuration& configuration, std::vector<std::string>* missing) {
  TimeEstimate out;
  std::vector<std::string> unknown;
  const auto job = folding_job(workload, configuration, unknown);
  if (missing) *missing = unknown;
  if (!job) return out;
  const FittedFamily& fitted = shipped().fitted;
  const std::vector<Level> levels = folding_levels(*job);
  const Offsets::Sum sum = fitted.offsets.sum(levels);
  const double time_s = folding_time_s(*job, shipped().law) * std::exp(sum.offset);
  const bool board = fitted.offsets.seen(levels[1].name), model = fitted.offsets.seen(levels[0].name);
  // The fitted width held rows and boards left out; of a model without any row nothing is known but the prior, so its own nine tenths are taken.
  constexpr double normal_width = 1.645;
  const double width = model ? fitted.interval_width : std::max(fitted.interval_width, normal_width);
  const double reach = std::exp(width * std::hypot(std::sqrt(sum.variance), fitted.noise));
  out.latency_ms = 1e3 * time_s;
  out.step_time_s = time_s;
  out.samples_per_s = job->gpus / time_s;  // an input uses one GPU; further GPUs take further inputs
  out.requests_per_s = out.samples_per_s;
  out.interval = Interval{1e3 * time_s / reach, 1e3 * time_s * reach, "latency_ms"};
  out.confidence = !board || !model ? "extrapolated" : fitted.offsets.seen(levels[2].name) ? "same_gpu_and_framework" : "same_gpu";
  return out;
}

}  // namespace steelyard
