// Step 3 for an offer: the stack a workload asks for, and what else runs there.
#include <algorithm>

#include "core/text.hpp"
#include "decide/3_stack/checker.hpp"

namespace steelyard {

namespace {

using stack::Checker;

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

// PyTorch wheels that run, newest release and newest CUDA first; at most `most`.
std::vector<RunnableBuild> runnable_builds(Checker& checker, const StackRequest& host, std::size_t most) {
  std::vector<RunnableBuild> builds;
  const auto& releases = checker.library().torch;
  for (auto release = releases.rbegin(); release != releases.rend(); ++release) {
    for (auto wheel = release->wheels.rbegin(); wheel != release->wheels.rend(); ++wheel) {
      if (builds.size() == most) return builds;
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

RunnableStacks runnable_stacks(const StackRequest& host, const Catalog& catalog, const rules::Book& book) {
  Checker checker(catalog, book);
  const StackRequest request = bare(host);
  return {runnable_builds(checker, request, std::string::npos), runnable_images(checker, request)};
}

namespace {

// "2.5" stands for every 2.5.x; anything longer is meant as written.
bool same_version(const std::string& stated, const std::string& found) {
  return stated.empty() || found == stated || found.rfind(stated + ".", 0) == 0;
}

bool keeps_what_is_stated(const StackRequest& stated, const StackRequest& changed) {
  const auto kept = [](const std::string& before, const std::string& after) { return before.empty() || before == after; };
  const auto still_there = [&](const std::string& package) {
    return std::find(changed.packages.begin(), changed.packages.end(), package) != changed.packages.end();
  };
  return (stated.framework.empty() || to_lower(stated.framework) == to_lower(changed.framework)) && kept(stated.cuda, changed.cuda) &&
         kept(stated.image, changed.image) && stated.driver == changed.driver && same_version(stated.framework_version, changed.framework_version) &&
         std::all_of(stated.packages.begin(), stated.packages.end(), still_there);
}

// The smallest change that leaves the driver and all that is stated alone.
const StackFix* choice(const StackRequest& stated, const StackReport& report) {
  const auto found = std::find_if(report.fixes.begin(), report.fixes.end(), [&](const StackFix& fix) {
    return fix.verified && !fix.touches_driver && fix.stack && keeps_what_is_stated(stated, *fix.stack);
  });
  return found == report.fixes.end() ? nullptr : &*found;
}

// PyTorch without a release is any release: the newest that runs there.
bool leaves_release_open(const StackRequest& stated) {
  return to_lower(stated.framework) == "pytorch" && stated.framework_version.empty() && stated.cuda.empty() && stated.image.empty() &&
         !stated.driver.empty();
}

void choose_release(Checker& checker, StackRequest& request) {
  const auto newest = runnable_builds(checker, request, 1);
  if (newest.empty()) return;
  request.framework_version = newest.front().version + ".0";
  request.cuda = newest.front().variant;
}

Value result_facts(const StackReport& report) {
  const auto count = [&](const std::string& severity) {
    return static_cast<double>(
        std::count_if(report.findings.begin(), report.findings.end(), [&](const StackFinding& one) { return one.severity == severity; }));
  };
  Value result = Value::map();
  result["blocks"] = count("blocks");
  result["limits"] = count("limits");
  result["answer"] = report.verdict;
  result["code"] = report.codes.empty() ? std::string() : report.codes.front();
  result["message"] = report.findings.empty() ? std::string() : report.findings.front().message;
  result["fix"] = report.fixes.empty() ? std::string() : report.fixes.front().change;
  return result;
}

ChosenSoftware software_of(const StackRequest& stack, const std::string& verdict) {
  return {stack.framework, stack.framework_version, stack.cuda, stack.image, stack.packages, stack.driver, verdict, {}, {}};
}

}  // namespace

std::optional<OfferStack> stack_on(const Workload& workload, const Configuration& configuration, const rules::Book& book) {
  const Software& software = workload.software;
  const bool stated = !software.framework.empty() || !software.cuda.empty() || !software.image.empty() || !software.packages.empty();
  if (!configuration.board || (!stated && configuration.driver.empty())) return std::nullopt;
  Checker checker(stack::BoardSource{nullptr, configuration.board}, book);
  StackRequest request = stack_of(workload, configuration);
  if (leaves_release_open(request)) choose_release(checker, request);
  StackReport report = checker.check(request);
  const std::string stopped_by = report.findings.empty() ? std::string() : report.findings.front().message;
  StackFix chosen;
  if (const StackFix* fix = report.verdict == "fixable" ? choice(request, report) : nullptr) {
    chosen = *fix;
    request = *chosen.stack;
    report = checker.check(request);
  }
  OfferStack offer{software_of(request, report.verdict), {}};
  offer.software.change = chosen.change;
  offer.software.command = chosen.command;
  Value facts = checker.facts_of(checker.subject_of(request));
  Value& result = facts["stack"]["result"];
  result = result_facts(report);
  result["change"] = chosen.change;
  result["stopped_by"] = chosen.change.empty() ? std::string() : stopped_by;
  offer.facts = facts["stack"];
  return offer;
}

Value to_value(const RunnableStacks& runnable) {
  Value map = Value::map();
  map["builds"] = Value::list();
  map["images"] = Value::list();
  for (const RunnableBuild& build : runnable.builds) {
    Value entry = Value::map();
    entry["framework"] = build.framework;
    entry["version"] = build.version;
    entry["variant"] = build.variant;
    entry["cuda"] = build.cuda;
    entry["verdict"] = build.verdict;
    map["builds"].push_back(std::move(entry));
  }
  for (const std::string& image : runnable.images) map["images"].push_back(image);
  return map;
}

std::string to_text(const RunnableStacks& runnable, std::size_t most, Language language) {
  const auto& phrases = words::Phrases::of(language);
  const auto shown = [&](const char* title, const std::vector<std::string>& lines) {
    std::string text = phrases.say(title) + "\n";
    for (std::size_t index = 0; index < std::min(most, lines.size()); ++index) text += "  - " + lines[index] + "\n";
    if (lines.empty()) text += "  " + phrases.say("none of those known") + "\n";
    if (lines.size() > most) text += "  " + phrases.say("... and {} more", lines.size() - most) + "\n";
    return text;
  };
  std::vector<std::string> builds;
  for (const RunnableBuild& build : runnable.builds) {
    builds.push_back(build.framework + " " + build.version + " " + build.variant +
                     (build.verdict == "ok" ? "" : " (" + phrases.say(build.verdict) + ")"));
  }
  return shown("framework builds that run there, newest first:", builds) + shown("container images that run there, newest first:", runnable.images);
}

}  // namespace steelyard
