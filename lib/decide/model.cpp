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

Modelled model(const Workload& workload, const Configuration& stated, const MeasuredBoards* measured, const PlanOptions& plans) {
  Modelled modelled;
  const Calibrated calibrated(workload, stated, measured);
  const Configuration& configuration = calibrated.configuration();
  const bool classic = trains_classic(workload);
  const bool diffusion = runs_diffusion(workload);
  const bool language = estimate::trains(workload.task) && !classic && !diffusion;
  const auto timer = language ? TrainingTimer::make(workload, configuration, Efficiencies::embedded()) : std::nullopt;
  StepTime step_time;
  if (timer) step_time = [&](const Plan& plan) { return std::optional(timer->step_time_s(plan)); };
  if (diffusion) step_time = [&](const Plan& plan) { return estimate_diffusion(workload, configuration, plan).step_time_s; };
  PlanSearch search = search_plans(workload, configuration, step_time, plans);
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

Scaling scaling(const Workload& workload, const Configuration& configuration, const Modelled& whole, const MeasuredBoards* measured,
                const PlanOptions& plans) {
  Scaling scaling;
  if (configuration.gpus() == 1 || !configuration.board) return scaling;
  Configuration part = configuration;
  part.nodes = 1;
  if (configuration.nodes == 1) part.gpus_per_node = 1;
  const Modelled alone = model(workload, part, measured, plans);
  const bool holds = runs(alone);
  (configuration.nodes > 1 ? scaling.one_node_fits : scaling.one_gpu_fits) = holds;
  if (holds) (configuration.nodes > 1 ? scaling.speedup_over_one_node : scaling.speedup_over_one_gpu) = speedup(whole, alone);
  return scaling;
}

}  // namespace steelyard::decide
