#include "decide/model.hpp"

#include <steelyard/memory.hpp>
#include <steelyard/run_time.hpp>

#include "estimate/memory/job.hpp"
#include "estimate/train/train.hpp"

namespace steelyard::decide {

namespace {

using estimate::Efficiencies;
using estimate::TrainingTimer;

bool fits(const Modelled& modelled) {
  const MemoryEstimate& memory = modelled.memory;
  return memory.peak_gib && memory.usable_gib && *memory.peak_gib <= *memory.usable_gib;
}

std::optional<double> speedup(const Modelled& whole, const Modelled& part) {
  const auto all = work_rate(whole), one = work_rate(part);
  return all && one && *one > 0 ? std::optional(*all / *one) : std::nullopt;
}

// Without the speed of each plan, which costs most of a model: where no plan comes near the memory, no model is needed.
bool may_run(const Workload& workload, const Configuration& configuration, const PlanOptions& plans) {
  const PlanSearch search = search_plans(workload, configuration, {}, plans);
  const auto usable = usable_memory_gib(*configuration.board);
  return search.fits || !usable || search.best.peak_gib <= *usable;
}

}  // namespace

std::optional<double> work_rate(const Modelled& modelled) {
  const TimeEstimate& time = modelled.time;
  if (time.step_time_s) return modelled.plan.global_batch / *time.step_time_s;
  for (const auto& rate : {time.samples_per_s, time.requests_per_s, time.output_tokens_per_s, time.tokens_per_s}) {
    if (rate) return rate;
  }
  return std::nullopt;
}

bool runs(const Modelled& modelled) { return modelled.plan_faults.empty() && fits(modelled); }

Modelled model(const Job& job, const Configuration& stated) {
  const Workload& workload = job.workload;
  Modelled modelled;
  const Calibrated calibrated(workload, stated, job.measured);
  const Configuration& configuration = calibrated.configuration();
  const bool classic = trains_classic(workload);
  const bool diffusion = runs_diffusion(workload);
  const bool language = estimate::trains(workload.task) && !classic && !diffusion;
  auto timer = language ? TrainingTimer::make(workload, configuration, Efficiencies::embedded()) : std::nullopt;
  StepTime step_time;
  if (timer) step_time = [&](const Plan& plan) { return std::optional(timer->step_time_s(plan)); };
  if (diffusion) step_time = [&](const Plan& plan) { return estimate_diffusion(workload, configuration, plan).step_time_s; };
  PlanSearch search = search_plans(workload, configuration, step_time, job.plans);
  modelled.plan = std::move(search.best.plan);
  modelled.plan_faults = std::move(search.faults);
  modelled.memory = estimate_memory(workload, configuration, modelled.plan);
  if (timer) modelled.time = timer->estimate(modelled.plan);
  if (diffusion) modelled.time = estimate_diffusion(workload, configuration, modelled.plan);
  if (classic) modelled.time = estimate_classic(workload, configuration);
  if (recognises_speech(workload)) {
    modelled.time = estimate_speech(workload, configuration);
  } else if (estimate::serves(workload.task)) {
    modelled.time = estimate_serving(workload, configuration, modelled.plan);
  }
  if (workload.task == "science_inference") modelled.time = estimate_folding(workload, configuration);
  calibrated.finish(modelled.time);
  modelled.measured = calibrated.used();
  return modelled;
}

Configuration modelled_part(const Configuration& configuration) {
  Configuration part;
  part.gpu = configuration.gpu;
  part.board = configuration.board;
  part.gpus_per_node = configuration.gpus_per_node;
  part.nodes = configuration.nodes;
  part.intra_node = configuration.intra_node;
  part.gpu_peer_access = configuration.gpu_peer_access;
  part.nvlink_domain_gpus = configuration.nvlink_domain_gpus;
  if (configuration.nodes > 1) part.inter_node = configuration.inter_node;
  return part;
}

SharedModel::SharedModel(const Job& job, Configuration part) : job_(job), part_(std::move(part)), modelled_(model(job, part_)) {}

const Scaling& SharedModel::scaling() const {
  std::call_once(scaled_, [&] { scaling_ = decide::scaling(job_, part_, modelled_); });
  return scaling_;
}

Scaling scaling(const Job& job, const Configuration& configuration, const Modelled& whole) {
  Scaling scaling;
  if (configuration.gpus() == 1 || !configuration.board) return scaling;
  Configuration part = configuration;
  part.nodes = 1;
  if (configuration.nodes == 1) part.gpus_per_node = 1;
  bool& holds = (configuration.nodes > 1 ? scaling.one_node_fits : scaling.one_gpu_fits).emplace(false);
  if (!may_run(job.workload, part, job.plans)) return scaling;
  const Modelled alone = model(job, part);
  holds = runs(alone);
  if (holds) (configuration.nodes > 1 ? scaling.speedup_over_one_node : scaling.speedup_over_one_gpu) = speedup(whole, alone);
  return scaling;
}

}  // namespace steelyard::decide
