#include "estimate/train/train.hpp"

#include <algorithm>
#include <cmath>

#include "estimate/train/levels.hpp"

namespace steelyard::estimate {

namespace {

std::size_t plan_class(const Plan& plan) {
  const bool sharded = plan.sharding == "zero3" || plan.sharding == "fsdp" || plan.sharding == "hsdp";
  const std::size_t again = plan.activation_checkpointing == "full" ? 2 : plan.activation_checkpointing == "selective" ? 1 : 0;
  return (sharded ? 3 : 0) + again;
}

/// What published runs say of a framework that no measured row has.
double framework_offset(const TrainingJob& job, const Offsets& offsets) {
  return offsets.seen("framework: " + job.software.framework) ? 0 : std::log(job.software.tax);
}

// Of all plans of a class: without the offset of the very plan.
double class_offset(const TrainingJob& job, const TrainEfficiencies& efficiencies, const Plan& plan) {
  const FittedFamily& fitted = efficiencies.fitted;
  return fitted.offsets.sum(training_levels(job, plan, fitted.sigmas, false)).offset + framework_offset(job, fitted.offsets);
}

bool any_seen(const Offsets& offsets, const std::vector<Level>& levels, std::string_view kind) {
  return std::any_of(levels.begin(), levels.end(), [&](const Level& level) { return level.name.starts_with(kind) && offsets.seen(level.name); });
}

/// What the answer rests on: this very run measured, this board with this framework, this board, or neither.
std::string confidence_of(const Offsets& offsets, const std::vector<Level>& levels) {
  if (any_seen(offsets, levels, "plan: ") && any_seen(offsets, levels, "release_model: ")) return "calibrated";
  if (!any_seen(offsets, levels, "board: ")) return "extrapolated";
  return any_seen(offsets, levels, "framework_generation: ") ? "same_gpu_and_framework" : "same_gpu";
}

/// The guide's factors as shares of the time (field guide, formula of effective TFLOPS): what is lost to exposed communication, to memory,
/// and how much of the peak the rest achieves.
void set_factors(const StepTimes& times, double peak_s, TimeEstimate& out) {
  const double total = times.total, stays = total - times.communication;
  out.interconnect = stays / total;
  out.memory = stays > 0 ? (stays - times.memory_bound) / stays : 1.0;
  const double rest = stays - times.memory_bound;
  out.software = rest > 0 ? std::min(1.0, peak_s / rest) : 1.0;
}

void scale(StepTimes& times, double factor) {
  for (double* part : {&times.compute, &times.memory_bound, &times.communication, &times.bubble, &times.input, &times.total}) *part *= factor;
}

}  // namespace

TrainingTimer::TrainingTimer(TrainingJob job, const TrainEfficiencies& efficiencies) : job_(std::move(job)), efficiencies_(&efficiencies) {}

std::optional<TrainingTimer> TrainingTimer::make(const Workload& workload, const Configuration& configuration, const Efficiencies& efficiencies) {
  auto job = training_job(workload, configuration, efficiencies.train.software, efficiencies.train.parameters);
  if (!job) return std::nullopt;
  return TrainingTimer(std::move(*job), efficiencies.train);
}

double TrainingTimer::step_time_s(const Plan& plan) {
  double& factor = factors_[plan_class(plan)];
  if (factor == 0) factor = std::exp(class_offset(job_, *efficiencies_, plan));
  return step_times(job_, plan, efficiencies_->parameters.values()).total * factor;
}

TimeEstimate TrainingTimer::estimate(const Plan& plan) const {
  const FittedFamily& fitted = efficiencies_->fitted;
  StepTimes times = step_times(job_, plan, efficiencies_->parameters.values());
  const std::vector<Level> levels = training_levels(job_, plan, fitted.sigmas);
  const Offsets::Sum sum = fitted.offsets.sum(levels);
  scale(times, std::exp(sum.offset + framework_offset(job_, fitted.offsets)));
  TimeEstimate out;
  out.step_time_s = times.total;
  out.tokens_per_s = plan.global_batch * job_.sequence / times.total;
  out.samples_per_s = plan.global_batch / times.total;
  const double peak_s = times.model_flops / (job_.machine.peak_format * job_.machine.gpus);
  out.mfu = peak_s / times.total;
  out.breakdown_s = {{"compute", times.compute},
                     {"memory_bound", times.memory_bound},
                     {"communication_exposed", times.communication},
                     {"bubble", times.bubble},
                     {"input", times.input}};
  const double half_width = fitted.width(interval_kind(job_, plan)) * std::sqrt(sum.variance + fitted.noise * fitted.noise);
  out.interval = Interval{times.total * std::exp(-half_width), times.total * std::exp(half_width), "step_time_s"};
  set_factors(times, peak_s, out);
  out.exchange_bytes_per_step = times.exchange_bytes;
  out.inter_node_bytes_per_step = times.inter_node_bytes;
  out.confidence = confidence_of(fitted.offsets, levels);
  return out;
}

TimeEstimate estimate_training(const Workload& workload, const Configuration& configuration, const Plan& plan, const Efficiencies& efficiencies) {
  const auto timer = TrainingTimer::make(workload, configuration, efficiencies);
  return timer ? timer->estimate(plan) : TimeEstimate{};
}

}  // namespace steelyard::estimate
