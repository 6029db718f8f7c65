#include <algorithm>
#include <cmath>
#include <steelyard/run_time.hpp>

#include "estimate/diffusion/law.hpp"
#include "estimate/efficiencies.hpp"

namespace steelyard {

namespace {

using namespace estimate;

struct Shipped {
  FittedFamily fitted;
  DiffusionLaw law;
};

const Shipped& shipped() {
  static const Shipped out = [] {
    Shipped made{embedded_family("diffusion"), {}};
    for (const DiffusionParameter& one : diffusion_parameters()) made.law.*one.member = made.fitted.parameter(one.name, made.law.*one.member);
    return made;
  }();
  return out;
}

/// Few runs stand behind this family: a board without one, or a model without one, is extrapolated.
std::string confidence_of(const Offsets& offsets, const DiffusionJob& job) {
  if (!offsets.seen("board: " + job.machine.board) || !offsets.seen("model: " + job.name) || !offsets.seen("use: " + job.use)) return "extrapolated";
  return offsets.seen("software: " + job.software) ? "same_gpu_and_framework" : "same_gpu";
}

void set_factors(const DiffusionTimes& times, double peak_s, TimeEstimate& out) {
  const double stays = times.total - times.communication;
  out.interconnect = stays / times.total;
  out.memory = (stays - times.memory_bound) / stays;
  out.software = std::min(1.0, peak_s / (stays - times.memory_bound));
}

void set_rates(const DiffusionJob& job, const Plan& plan, double seconds, TimeEstimate& out) {
  out.step_time_s = seconds;
  if (job.training) {
    out.samples_per_s = plan.global_batch / seconds;
    return;
  }
  out.latency_ms = 1e3 * seconds;
  out.samples_per_s = job.machine.gpus * job.images / seconds;
  out.requests_per_s = job.machine.gpus / seconds;
}

}  // namespace

bool runs_diffusion(const Workload& workload) { return workload.task == "diffusion_training" || workload.task == "diffusion_inference"; }

TimeEstimate estimate_diffusion(const Workload& workload, const Configuration& configuration, const Plan& plan, std::vector<std::string>* missing) {
  TimeEstimate out;
  std::vector<std::string> unknown;
  const auto job = diffusion_job(workload, configuration, unknown);
  if (missing) *missing = unknown;
  if (!job) return out;
  const FittedFamily& fitted = shipped().fitted;
  const DiffusionTimes times = job->training ? training_times(*job, plan, shipped().law) : generation_times(*job, shipped().law);
  const Offsets::Sum sum = fitted.offsets.sum(diffusion_levels(*job, fitted.sigmas));
  const double factor = std::exp(sum.offset), seconds = times.total * factor;
  set_rates(*job, plan, seconds, out);
  out.breakdown_s = {{"compute", times.compute * factor},
                     {"memory_bound", times.memory_bound * factor},
                     {"communication_exposed", times.communication * factor},
                     {"input", times.host * factor}};
  const double gpus = job->training ? job->machine.gpus : 1, peak_s = times.flop / (job->machine.peak_format * gpus);
  set_factors(times, peak_s, out);
  out.mfu = peak_s / seconds;
  out.exchange_bytes_per_step = times.exchange_bytes;
  out.inter_node_bytes_per_step = times.inter_node_bytes;
  const double reach = std::exp(fitted.interval_width * std::sqrt(sum.variance + fitted.noise * fitted.noise));
  out.interval = Interval{seconds / reach, seconds * reach, "step_time_s"};
  out.confidence = confidence_of(fitted.offsets, *job);
  return out;
}

}  // namespace steelyard
