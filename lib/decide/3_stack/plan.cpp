// Step 3 for an offer: the stack a workload asks for, and what else runs there.
#include <algorithm>

#include "decide/3_stack/checker.hpp"

namespace steelyard {

namespace {

using stack::Checker;
using stack::Library;

bool runs_at_all(const std::string& verdict) { return verdict == "ok" || verdict == "limited"; }

StackRequest bare(const StackRequest& request) {
  StackRequest host;
  host.gpu = request.gpu;
  host.gpu_count = request.gpu_count;
  host.driver = request.driver;
  host.os = request.os;
  host.glibc = request.glibc;
  host.kernel_module = request.kernel_module;
  return host;
}

std::vector<RunnableBuild> runnable_builds(Checker& checker, const StackRequest& host) {
  std::vector<RunnableBuild> builds;
  const auto& releases = checker.library().torch;
  for (auto release = releases.rbegin(); release != releases.rend(); ++release) {
    for (auto wheel = release->wheels.rbegin(); wheel != release->wheels.rend(); ++wheel) {
      StackRequest request = host;
      request.framework = "pytorch";
      request.framework_version = release->version.text + ".0";
      request.cuda = wheel->variant;
      const std::string verdict = checker.verdict_of(request);
      if (runs_at_all(verdict)) builds.push_back({"pytorch", release->version.text, wheel->variant, wheel->cuda.text, verdict});
    }
  }
  return builds;
}

std::vector<std::string> runnable_images(Checker& checker, const StackRequest& host) {
  std::vector<std::string> images;
  const auto& all = checker.library().images;
  for (auto image = all.rbegin(); image != all.rend(); ++image) {
    StackRequest request = host;
    request.image = image->image + ":" + image->tag;
    if (runs_at_all(checker.verdict_of(request))) images.push_back(request.image);
  }
  return images;
}

}  // namespace

StackRequest stack_of(const Workload& workload, const Configuration& configuration) {
  StackRequest request;
  request.gpu = configuration.board ? configuration.board->id : configuration.gpu;
  request.gpu_count = configuration.gpus_per_node;
  request.driver = configuration.driver;
  request.os = configuration.os;
  request.framework = workload.software.framework;
  request.framework_version = workload.software.version;
  request.cuda = workload.software.cuda;
  request.image = workload.software.image;
  request.packages = workload.software.packages;
  return request;
}

Value stack_facts(const Workload& workload, const Configuration& configuration, const rules::Book& book) {
  const Software& software = workload.software;
  const bool stated = !software.framework.empty() || !software.cuda.empty() || !software.image.empty() || !software.packages.empty();
  if (!configuration.board || (!stated && configuration.driver.empty())) return Value::map();
  Checker checker(stack::BoardSource{nullptr, configuration.board}, book);
  const StackRequest request = stack_of(workload, configuration);
  const StackReport report = checker.check(request);
  Value facts = stack::facts_of(checker.subject_of(request), checker.library());
  Value& result = facts["stack"]["result"];
  const auto count = [&](const std::string& severity) {
    return std::count_if(report.findings.begin(), report.findings.end(), [&](const StackFinding& one) { return one.severity == severity; });
  };
  result["blocks"] = static_cast<double>(count("blocks"));
  result["limits"] = static_cast<double>(count("limits"));
  result["answer"] = report.verdict;
  result["code"] = report.codes.empty() ? std::string() : report.codes.front();
  result["message"] = report.findings.empty() ? std::string() : report.findings.front().message;
  result["fix"] = report.fixes.empty() ? std::string() : report.fixes.front().change;
  return facts["stack"];
}

StackPlan plan_stack(const Workload& workload, const Configuration& configuration, const Catalog& catalog, const rules::Book& book) {
  Checker checker(catalog, book);
  const StackRequest request = stack_of(workload, configuration);
  StackPlan plan;
  plan.report = checker.check(request);
  plan.builds = runnable_builds(checker, bare(request));
  plan.images = runnable_images(checker, bare(request));
  return plan;
}

}  // namespace steelyard
