#include "diffusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <steelyard/catalog.hpp>

#include "estimate/diffusion/law.hpp"
#include "load/fields.hpp"
#include "mixed.hpp"
#include "priors.hpp"
#include "yaml_out.hpp"

namespace steelyard::fit {

namespace {

using namespace estimate;

struct Diffusion {
  std::vector<DiffusionJob> jobs;
  std::vector<Plan> plans;
  Problem problem;
};

Workload workload_of(load::Fields& fields) {
  Workload out;
  out.task = fields.text("task").value_or("diffusion_inference");
  out.model_name = fields.required_text("model");
  if (const auto found = Catalog::embedded().find_model(out.model_name).resolved()) out.model = *found;
  out.software.framework = fields.required_text("software");
  out.inputs.image_px = fields.integer("image_px", 1);
  out.inputs.frames = fields.integer("frames", 1);
  out.precision = "bf16";
  return out;
}

Configuration configuration_of(load::Fields& fields) {
  Configuration out;
  out.board = Catalog::embedded().find_board(fields.required_text("gpu")).resolved();
  out.gpus_per_node = fields.integer("gpus", 1).value_or(1);
  return out;
}

Plan plan_of(load::Fields& fields, int gpus) {
  Plan out;
  out.data = gpus;
  out.micro_batch = fields.integer("micro", 1).value_or(1);
  out.global_batch = fields.integer("global", 1).value_or(gpus * out.micro_batch);
  out.accumulation = std::max(1, out.global_batch / (gpus * out.micro_batch));
  return out;
}

void read_run(load::Fields& fields, const Priors& priors, Diffusion& out) {
  const std::string id = fields.required_text("id");
  const Workload workload = workload_of(fields);
  const Configuration configuration = configuration_of(fields);
  std::vector<std::string> missing;
  auto job = diffusion_job(workload, configuration, missing);
  if (!job) throw std::runtime_error("diffusion run " + id + ": " + (missing.empty() ? "no job" : missing.front()));
  if (const auto steps = fields.number("steps", 1)) job->model.steps = *steps;
  const double seconds = fields.required_number("seconds", 1e-6);
  fields.required_text("source");
  out.plans.push_back(plan_of(fields, configuration.gpus_per_node));
  out.problem.rows.push_back({id,
                              seconds,
                              priors.noise,
                              diffusion_levels(*job, priors.sigmas),
                              {{"row", id}, {"board", job->machine.board}, {"model", job->name}},
                              "diffusion"});
  out.jobs.push_back(std::move(*job));
}

void read_runs(const Request& request, const Priors& priors, Diffusion& out) {
  const auto read = load::read_document(request.out + "/diffusion_runs.yaml");
  if (!read.value) throw std::runtime_error(to_string(read.issues.front()));
  Issues issues;
  load::Fields file(*read.value, read.value->root, issues, "diffusion runs");
  file.node("sources");
  if (const load::Node* list = file.node("runs"))
    load::each_map(*read.value, *list, issues, "run", [&](load::Fields& fields) { read_run(fields, priors, out); });
  file.finish();
  if (!issues.empty()) throw std::runtime_error(to_string(issues.front()));
}

std::string sigmas_yaml(const Priors& priors) {
  std::string out = "sigmas:\n";
  for (const auto& [kind, sigma] : priors.sigmas) out += fmt::format("  {}: {}\n", kind, figure(sigma));
  return out;
}

}  // namespace

std::string fit_diffusion(const Request& request) {
  const Priors priors = read_priors(request.out, "diffusion");
  Diffusion all;
  read_runs(request, priors, all);
  all.problem.parameters = priors.parameters;
  all.problem.law = [&all](std::span<const double> theta, std::size_t row) {
    DiffusionLaw law;
    for (const DiffusionParameter& one : diffusion_parameters())
      for (std::size_t i = 0; i < theta.size(); ++i)
        if (all.problem.parameters[i].name == one.name) law.*one.member = theta[i];
    const DiffusionJob& job = all.jobs[row];
    return job.training ? training_times(job, all.plans[row], law).total : generation_times(job, law).total;
  };
  const Fit fitted = fit(all.problem, {2, 2, 20, 1e-5});
  std::string report, lines;
  const double width = held_width(all.problem, cross_validate(all.problem, "model", fitted, {1, 2, 8, 1e-4}));
  const auto line = [&](const std::string& what, const std::vector<Prediction>& predictions) {
    const Errors e = errors(all.problem, predictions, width);
    report += fmt::format("diffusion {:8} {}\n", what, to_text(e));
    if (what != "fitted") lines += errors_yaml("diffusion", what, e);
    if (what == request.show)
      for (const Prediction& one : predictions)
        report += fmt::format("  {:24} {:8.3f} s, predicted {:8.3f}, sd {:.2f}\n", all.problem.rows[one.row].id, all.problem.rows[one.row].measured,
                              one.time, one.log_sd);
  };
  line("fitted", predict_all(all.problem, fitted));
  for (const char* fold : {"row", "board", "model"}) line(fold, cross_validate(all.problem, fold, fitted, {1, 2, 8, 1e-4}));
  if (request.quick) return report;
  const std::string text =
      "# Written by steelyard_fit --family diffusion from diffusion_runs.yaml and diffusion_priors.yaml; do not edit. Law: "
      "docs/reference/estimate-diffusion.md.\n" +
      fmt::format("rows: {}\nnoise: {}\ninterval_width: {}\nerrors:\n", all.jobs.size(), figure(priors.noise), figure(width)) + lines +
      sigmas_yaml(priors) + parameters_yaml(all.problem, fitted) + offsets_yaml(offsets_of(all.problem, fitted));
  if (!write_file(request.out + "/diffusion.yaml", text)) throw std::runtime_error("cannot write diffusion.yaml");
  return report;
}

}  // namespace steelyard::fit
