#include <algorithm>
#include <cmath>
#include <steelyard/run_time.hpp>

#include "estimate/classic/law.hpp"
#include "estimate/classic/levels.hpp"
#include "estimate/efficiencies.hpp"

namespace steelyard {

namespace {

using namespace estimate;

struct Shipped {
  FittedFamily fitted;
  ClassicLaw law;
};

const Shipped& shipped() {
  static const Shipped out = [] {
    Shipped made{embedded_family("classic"), {}};
    std::vector<double> values;
    for (const ClassicParameter& one : classic_parameters()) values.push_back(made.fitted.parameter(one.name, one.median));
    made.law = classic_law(values);
    return made;
  }();
  return out;
}

/// Models whose own runs were never measured rest on their operations alone.
std::string confidence_of(const Offsets& offsets, const ClassicJob& job) {
  if (!offsets.seen("board: " + job.board) || !offsets.seen("model: " + job.model)) return "extrapolated";
  return offsets.seen("model_framework: " + job.model + " " + job.framework) ? "same_gpu_and_framework" : "same_gpu";
}

void set_rates(const Workload& workload, const ClassicJob& job, double unit_s, TimeEstimate& out) {
  const double units_per_s = job.gpus / unit_s, samples_per_s = units_per_s / job.units_per_sample;
  out.samples_per_s = samples_per_s;
  if (job.unit == "token")
    out.tokens_per_s = units_per_s;
  else if (workload.sequence_length)
    out.tokens_per_s = samples_per_s * *workload.sequence_length;
  if (job.global) out.step_time_s = *job.global / samples_per_s;
}

void set_factors(const ClassicTimes& times, const ClassicJob& job, double factor, TimeEstimate& out) {
  const double own = times.compute + times.memory + times.launch, exposed = times.total - own, peak_s = job.operations / job.peak;
  const double each = factor * job.micro * job.units_per_sample;
  out.breakdown_s = {{"compute", times.compute * each},
                     {"memory_bound", times.memory * each},
                     {"communication_exposed", exposed * each},
                     {"host", times.launch * each}};
  out.interconnect = own / times.total;
  out.memory = (own - times.memory) / own;
  out.software = std::min(1.0, peak_s / (own - times.memory));
  out.mfu = peak_s / (times.total * factor);
  out.exchange_bytes_per_step = job.gpus > 1 ? 2 * job.gradient_bytes * (job.gpus - 1) / job.gpus : 0;
  out.inter_node_bytes_per_step = job.nodes > 1 ? 2 * job.gradient_bytes / job.per_node : 0;
}

}  // namespace

TimeEstimate estimate_classic(const Workload& workload, const Configuration& configuration, std::vector<std::string>* missing) {
  TimeEstimate out;
  std::vector<std::string> unknown;
  const auto job = classic_job(workload, configuration, unknown);
  if (missing) *missing = unknown;
  if (!job) return out;
  const FittedFamily& fitted = shipped().fitted;
  const ClassicTimes times = classic_times(*job, shipped().law);
  const Offsets::Sum sum = fitted.offsets.sum(classic_levels(*job, fitted.sigmas));
  const double factor = std::exp(sum.offset);
  set_rates(workload, *job, times.total * factor, out);
  set_factors(times, *job, factor, out);
  const bool tokens = job->unit == "token" || workload.work.tokens;
  const double value = tokens && out.tokens_per_s ? *out.tokens_per_s : *out.samples_per_s;
  const double noise = fitted.parameter(std::string("noise.") + classic_kind_word(job->kind), fitted.noise);
  const double reach = std::exp(fitted.width(classic_kind_word(job->kind)) * std::hypot(std::sqrt(sum.variance), noise));
  out.interval = Interval{value / reach, value * reach, tokens && out.tokens_per_s ? "tokens_per_s" : "samples_per_s"};
  out.confidence = confidence_of(fitted.offsets, *job);
  return out;
}

}  // namespace steelyard
