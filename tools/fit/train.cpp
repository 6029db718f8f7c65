#include "train.hpp"

#include <cstdlib>
#include <stdexcept>
#include <map>

#include <fmt/format.h>

#include "estimate/efficiencies.hpp"
#include "estimate/train/levels.hpp"
#include "estimate/train/step.hpp"
#include "load/node.hpp"
#include "priors.hpp"
#include "train_rows.hpp"
#include "yaml_out.hpp"

namespace steelyard::fit {

namespace {

using estimate::ParameterSet;
using estimate::TrainingJob;

struct TrainFit {
  Priors priors;
  ParameterSet parameters;
  std::vector<TrainRow> rows;
  std::vector<TrainingJob> jobs;
  Problem problem;
  std::vector<std::string> left_out;
};

ParameterSet parameter_set(const Priors& priors) {
  std::map<std::string, double, std::less<>> values;
  for (const Parameter& parameter : priors.parameters) values[parameter.name] = parameter.median;
  return ParameterSet(values);
}

/// The priors in the order of the law's vector.
std::vector<Parameter> in_order(const Priors& priors, const ParameterSet& set) {
  std::map<std::string, Parameter> by_name;
  for (const Parameter& parameter : priors.parameters) by_name[parameter.name] = parameter;
  std::vector<Parameter> out;
  for (const std::string& name : set.names()) out.push_back(by_name.at(name));
  return out;
}

/// Runs whose micro-batch the source does not state: the fastest that divides the batch, as the plan search would choose.
void choose_micro(const TrainingJob& job, TrainRow& row, std::span<const double> theta) {
  Plan best = row.plan;
  double least = 0;
  for (const int micro : {1, 2, 4, 8}) {
    Plan plan = row.plan;
    plan.micro_batch = micro;
    if (plan.global_batch % (plan.data * micro)) continue;
    plan.accumulation = plan.global_batch / (plan.data * micro);
    const double time = estimate::step_times(job, plan, theta).total;
    if (least == 0 || time < least) {
      least = time;
      best = plan;
    }
  }
  row.plan = best;
}

Row fit_row(const TrainRow& row, const TrainingJob& job, const Priors& priors) {
  Row out{row.id, row.step_time_s, priors.noise, estimate::training_levels(job, row.plan, priors.sigmas), {}, row.family};
  const std::string cell = fmt::format("{} {} {} {} {}", job.software.framework, row.model_text, row.gpu_text, row.workload.precision, row.workload.task);
  out.folds["family"] = row.source == "megatron_bridge" ? cell : row.id;
  out.folds["source"] = row.source;
  out.folds["board"] = row.gpu_text;
  out.folds["model"] = estimate::model_key(job.shape);
  out.folds["release"] = job.software.release.empty() ? job.software.framework : job.software.release;
  return out;
}

void build(const Request& request, TrainFit& out) {
  out.priors = read_priors(request.out, "train");
  out.parameters = parameter_set(out.priors);
  out.problem.parameters = in_order(out.priors, out.parameters);
  Issues issues;
  const auto frameworks = load::read_document(request.out + "/frameworks.yaml");
  if (!frameworks.value) throw std::runtime_error(to_string(frameworks.issues.front()));
  const estimate::SoftwareTable software = estimate::read_software(*frameworks.value, issues);
  for (TrainRow& row : read_train_rows(request.data, Catalog::embedded(), out.left_out)) {
    const auto job = estimate::training_job(row.workload, row.configuration, software, out.parameters);
    if (!job) {
      out.left_out.push_back(row.id + ": no job");
      continue;
    }
    if (!row.micro_known) choose_micro(*job, row, out.parameters.values());
    out.problem.rows.push_back(fit_row(row, *job, out.priors));
    out.jobs.push_back(*job);
    out.rows.push_back(std::move(row));
  }
  out.problem.law = [&out](std::span<const double> theta, std::size_t row) { return estimate::step_times(out.jobs[row], out.rows[row].plan, theta).total; };
}

std::string table(const TrainFit& data, const std::string& what, const std::vector<Prediction>& predictions, std::string& error_lines) {
  std::string out;
  const double width = data.priors.interval_width;
  for (const char* group : {"lm_training_bf16", "lm_training_lowprec", "lm_training_zero3_fsdp", "lm_finetune"}) {
    const auto scored = [&](const Row& row) { return row.group == group && data.rows[&row - data.problem.rows.data()].scored; };
    out += fmt::format("{:24} {:16} {}\n", group, what, to_text(errors(data.problem, predictions, width, scored)));
    error_lines += errors_yaml(group, what, errors(data.problem, predictions, width, scored));
    if (std::string_view(group) != "lm_training_lowprec") continue;
    for (const bool moe : {false, true}) {
      const auto part = [&](const Row& row) { return scored(row) && data.jobs[&row - data.problem.rows.data()].shape.moe() == moe; };
      out += fmt::format("{:24} {:16} {}\n", moe ? "  of these, experts" : "  of these, dense", what, to_text(errors(data.problem, predictions, width, part)));
    }
  }
  return out;
}

/// The shipped file. No row is copied: parameters, offsets, counts and errors only.
std::string yaml_of(const TrainFit& data, const Fit& fitted, const std::string& error_lines) {
  std::string out = "# Language-model training steps: parameters of the step law and offsets, fitted. Written by\n"
                    "#   steelyard_fit --family train --data FOLDER --out data/efficiency\n"
                    "# from data/efficiency/train_priors.yaml, data/efficiency/frameworks.yaml and the measured rows; do not edit. Times are log-normal: an offset is\n"
                    "# added to the log of the law's time. docs/reference/estimate-time.md explains the law and the names.\n"
                    "# Rows: NVIDIA-NeMo/Megatron-Bridge@067f987 (Apache-2.0), NVIDIA/dgxc-benchmarking@35a9aec and @8f5cbb3, mosaicml/llm-foundry@8c8dd48 (Apache-2.0),\n"
                    "# NVIDIA/Megatron-LM@f482bc503b and README of r0.8.0, arXiv:2104.04473, arXiv:2205.05198, MooreThreads/SimuMax@4dcaae5 (Apache-2.0).\n";
  out += fmt::format("rows: {}\nnoise: {}\ninterval_width: {}\nerrors:\n{}", data.rows.size(), figure(data.priors.noise), figure(data.priors.interval_width), error_lines);
  out += "sigmas:\n";
  for (const auto& [kind, sigma] : data.priors.sigmas) out += fmt::format("  {}: {}\n", kind, figure(sigma));
  return out + parameters_yaml(data.problem, fitted) + offsets_yaml(offsets_of(data.problem, fitted));
}

}  // namespace

std::string fit_train(const Request& request) {
  TrainFit data;
  build(request, data);
  const Fit fitted = fit(data.problem);
  std::string error_lines;
  std::string report = fmt::format("train: {} rows, {} left out\n", data.rows.size(), data.left_out.size());
  if (std::getenv("STEELYARD_FIT_VERBOSE"))
    for (const std::string& reason : data.left_out) report += "  " + reason + "\n";
  for (std::size_t k = 0; k < data.problem.parameters.size(); ++k)
    if (data.problem.parameters[k].spread > 0)
      report += fmt::format("  {:24} {:10} x/ {:5.2f}   prior {:8} x/ {:5.2f}\n", data.problem.parameters[k].name, figure(fitted.theta[k]), std::exp(fitted.spread[k]),
                            figure(data.problem.parameters[k].median), std::exp(data.problem.parameters[k].spread));
  std::map<std::string, int> kinds;
  const estimate::Offsets shown = offsets_of(data.problem, fitted);
  for (const auto& level : shown.levels()) ++kinds[level.name.substr(0, level.name.find(':'))];
  for (const auto& [kind, n] : kinds) report += fmt::format("  {} {}\n", kind, n);
  report += fmt::format("  cells {}\n", shown.cells().size());
  report += table(data, "nothing", predict_all(data.problem, fitted), error_lines);
  Options quick;
  quick.huber_rounds = 1;
  quick.steps = 2;
  const char* folds = std::getenv("FOLDS");
  for (const std::string fold : {"family", "source", "board", "model", "release"})
    if (!folds || std::string(folds).find(fold) != std::string::npos) {
    const auto predictions = cross_validate(data.problem, fold, fitted, quick);
    report += table(data, fold, predictions, error_lines);
    if (std::getenv("SHOW") && fold == std::getenv("SHOW"))
      for (const Prediction& p : predictions) {
        const TrainRow& r = data.rows[p.row];
        const estimate::StepTimes s = estimate::step_times(data.jobs[p.row], r.plan, fitted.theta);
        report += fmt::format("{:6.1f} sd {:4.1f} {:22} {:8.3f} c {:2.0f} m {:2.0f} x {:2.0f} b {:2.0f} h {:2.0f} {:12} {:18} {:14} {:10} {} t{} p{} v{} c{} e{} m{} a{} {} {}\n", 100 * (p.time / r.step_time_s - 1),
                              100 * p.log_sd, r.id, r.step_time_s, 100 * s.compute / s.total, 100 * s.memory_bound / s.total, 100 * s.communication / s.total, 100 * s.bubble / s.total,
                              100 * s.input / s.total, r.workload.precision, r.model_text, r.gpu_text, data.jobs[p.row].software.release, r.configuration.gpus(), r.plan.tensor, r.plan.pipeline,
                              r.plan.virtual_pipeline, r.plan.context, r.plan.expert, r.plan.micro_batch, r.plan.accumulation, r.plan.sharding, r.scored ? "" : "EXTRA");
      }
  }
  if (!write_file(request.out + "/train.yaml", yaml_of(data, fitted, error_lines))) report += "train: cannot write " + request.out + "/train.yaml\n";
  return report;
}

}  // namespace steelyard::fit
