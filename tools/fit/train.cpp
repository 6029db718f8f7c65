#include "train.hpp"

#include <fmt/format.h>

#include <map>
#include <stdexcept>
#include <steelyard/memory.hpp>

#include "estimate/efficiencies.hpp"
#include "estimate/train/levels.hpp"
#include "estimate/train/step.hpp"
#include "estimate/train/train.hpp"
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
  estimate::SoftwareTable software;
  std::vector<std::string> left_out;
  std::map<std::string, double, std::less<>> widths;  // of the intervals, by kind of rows
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

/// The plan that an answer would show: what the source leaves open is filled by the plan search with the law and the offsets of `known`.
Plan searched_plan(const TrainRow& row, const estimate::Efficiencies& known) {
  auto timer = estimate::TrainingTimer::make(row.workload, row.configuration, known);
  StepTime step_time;
  if (timer) step_time = [&](const Plan& plan) { return std::optional(timer->step_time_s(plan)); };
  return fill_plan(row.workload, row.configuration, step_time);
}

Row fit_row(const TrainRow& row, const TrainingJob& job, const Priors& priors) {
  Row out{row.id, row.step_time_s, priors.noise, estimate::training_levels(job, row.plan, priors.sigmas), {}, row.family};
  const std::string cell =
      fmt::format("{} {} {} {} {}", job.software.framework, row.model_text, row.gpu_text, row.workload.precision, row.workload.task);
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
  out.software = estimate::read_software(*frameworks.value, issues);
  for (TrainRow& row : read_train_rows(request.data, Catalog::embedded(), out.left_out)) {
    const auto job = estimate::training_job(row.workload, row.configuration, out.software, out.parameters);
    if (!job) {
      out.left_out.push_back(row.id + ": no job");
      continue;
    }
    out.jobs.push_back(*job);
    out.rows.push_back(std::move(row));
  }
  out.problem.law = [&out](std::span<const double> theta, std::size_t row) {
    return estimate::step_times(out.jobs[row], out.rows[row].plan, theta).total;
  };
}

/// The plans of all rows as an answer with these parameters and offsets would fill them in, and the rows with the levels of those plans.
void set_plans(TrainFit& data, const estimate::Efficiencies& known) {
  data.problem.rows.clear();
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    data.rows[i].plan = searched_plan(data.rows[i], known);
    data.problem.rows.push_back(fit_row(data.rows[i], data.jobs[i], data.priors));
  }
}

/// Parameters and offsets decide which plans are searched, plans what is fitted: a few rounds settle both.
Fit fit_with_plans(TrainFit& data) {
  constexpr int rounds = 3;
  estimate::Efficiencies known{{data.parameters, {}, data.software}};
  Fit fitted;
  for (int round = 0; round < rounds; ++round) {
    set_plans(data, known);
    fitted = fit(data.problem, {}, {}, round ? &fitted : nullptr);
    estimate::FittedFamily& family = known.train.fitted;
    for (std::size_t k = 0; k < data.problem.parameters.size(); ++k) family.parameters[data.problem.parameters[k].name] = fitted.theta[k];
    family.sigmas = data.priors.sigmas;
    family.offsets = offsets_of(data.problem, fitted);
    known.train.parameters = ParameterSet(family.parameters);
  }
  return fitted;
}

std::string kind_of(const TrainFit& data, std::size_t row) { return std::string(estimate::interval_kind(data.jobs[row], data.rows[row].plan)); }

/// How wide an interval of each kind must be to hold rows whose whole family was left out.
void set_widths(TrainFit& data, const std::vector<Prediction>& left_out) {
  for (const char* kind : {"half", "low", "sharded", "tuning"})
    data.widths[kind] = held_width(data.problem, left_out, [&](const Row& row) { return kind_of(data, &row - data.problem.rows.data()) == kind; });
}

/// Each prediction with the spread that makes the default width hold what its own kind's width does.
std::vector<Prediction> scaled(const TrainFit& data, std::vector<Prediction> predictions) {
  for (Prediction& one : predictions) one.log_sd *= data.widths.at(kind_of(data, one.row)) / data.priors.interval_width;
  return predictions;
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
      out += fmt::format("{:24} {:16} {}\n", moe ? "  of these, experts" : "  of these, dense", what,
                         to_text(errors(data.problem, predictions, width, part)));
    }
  }
  return out;
}

/// The shipped file. No row is copied: parameters, offsets, counts and errors only.
std::string yaml_of(const TrainFit& data, const Fit& fitted, const std::string& error_lines) {
  std::string out =
      "# Language-model training steps: parameters of the step law and offsets, fitted. Written by\n"
      "#   steelyard_fit --family train --data FOLDER --out data/efficiency\n"
      "# from data/efficiency/train_priors.yaml, data/efficiency/frameworks.yaml and the measured rows; do not edit. Times are log-normal: an offset "
      "is\n"
      "# added to the log of the law's time. docs/reference/estimate-time.md explains the law and the names.\n"
      "# Rows: NVIDIA-NeMo/Megatron-Bridge@067f987 (Apache-2.0), NVIDIA/dgxc-benchmarking@35a9aec and @8f5cbb3, mosaicml/llm-foundry@8c8dd48 "
      "(Apache-2.0),\n"
      "# NVIDIA/Megatron-LM@f482bc503b and README of r0.8.0, arXiv:2104.04473, arXiv:2205.05198, MooreThreads/SimuMax@4dcaae5 (Apache-2.0).\n";
  out += fmt::format("rows: {}\nnoise: {}\ninterval_width: {}\n", data.rows.size(), figure(data.priors.noise), figure(data.priors.interval_width));
  out += widths_yaml(data.widths) + "errors:\n" + error_lines;
  out += "sigmas:\n";
  for (const auto& [kind, sigma] : data.priors.sigmas) out += fmt::format("  {}: {}\n", kind, figure(sigma));
  return out + parameters_yaml(data.problem, fitted) + offsets_yaml(offsets_of(data.problem, fitted));
}

/// What was fitted, beside what was known before.
std::string parameter_table(const Problem& problem, const Fit& fitted) {
  std::string out;
  for (std::size_t k = 0; k < problem.parameters.size(); ++k) {
    const Parameter& p = problem.parameters[k];
    if (p.spread <= 0) continue;
    out += fmt::format("  {:24} {:10} x/ {:4.2f}   prior {:8} x/ {:4.2f}\n", p.name, figure(fitted.theta[k]), std::exp(fitted.spread[k]),
                       figure(p.median), std::exp(p.spread));
  }
  return out;
}

/// One line a row: error, sd, where the time goes, what it is.
std::string row_line(const TrainFit& data, const Fit& fitted, const Prediction& prediction) {
  const TrainRow& row = data.rows[prediction.row];
  const TrainingJob& job = data.jobs[prediction.row];
  const Plan& plan = row.plan;
  const estimate::StepTimes times = estimate::step_times(job, plan, fitted.theta);
  const auto share = [&](double part) { return 100 * part / times.total; };
  std::string out = fmt::format("{:6.1f} sd {:4.1f} {:22} {:8.3f} c {:2.0f} m {:2.0f} x {:2.0f} b {:2.0f} h {:2.0f}",
                                100 * (prediction.time / row.step_time_s - 1), 100 * prediction.log_sd, row.id, row.step_time_s, share(times.compute),
                                share(times.memory_bound), share(times.communication), share(times.bubble), share(times.input));
  out += fmt::format(" {:6} {:16} {:14} {:26} {:5}", job.machine.format, row.model_text, row.gpu_text,
                     job.software.release.empty() ? job.software.framework : job.software.release, row.configuration.gpus());
  return out + fmt::format(" t{} p{} v{} c{} e{} m{} a{} {} {}{}\n", plan.tensor, plan.pipeline, plan.virtual_pipeline, plan.context, plan.expert,
                           plan.micro_batch, plan.accumulation, plan.sharding, plan.activation_checkpointing, row.scored ? "" : " not scored");
}

}  // namespace

std::string fit_train(const Request& request) {
  TrainFit data;
  build(request, data);
  const Fit fitted = fit_with_plans(data);
  std::string error_lines, report = fmt::format("train: {} rows, {} left out\n", data.rows.size(), data.left_out.size());
  report += parameter_table(data.problem, fitted);
  const std::vector<std::string> folds{"family", "source", "board", "model", "release"};  // the first sets the widths of the intervals
  Options few;                                                                            // a fold moves little from the full fit
  few.huber_rounds = 1;
  few.steps = 3;
  for (const std::string& fold : folds) {
    const auto predictions = request.quick ? cross_validate_linear(data.problem, fold, fitted) : cross_validate(data.problem, fold, fitted, few);
    if (fold == folds.front()) {
      set_widths(data, predictions);
      report += table(data, "nothing", scaled(data, predict_all(data.problem, fitted)), error_lines);
    }
    report += table(data, fold, scaled(data, predictions), error_lines);
    if (fold != request.show) continue;
    for (const Prediction& prediction : predictions) report += row_line(data, fitted, prediction);
  }
  if (request.quick) return report;
  if (!write_file(request.out + "/train.yaml", yaml_of(data, fitted, error_lines))) report += "train: cannot write " + request.out + "/train.yaml\n";
  return report;
}

}  // namespace steelyard::fit
