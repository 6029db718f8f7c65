// The door of the room: chooses a program that can carry out the plan and collects its files.
#include <algorithm>
#include <steelyard/evidence.hpp>
#include <steelyard/launch.hpp>

#include "core/text.hpp"
#include "launch/writers.hpp"
#include "rank/select.hpp"
#include "report/forms.hpp"

namespace steelyard {

namespace {

using launch::Framework;

using Writer = void (*)(const launch::Job& job, LaunchKit& kit);

Writer writer_of(const std::string& name) {
  if (name == "fsdp") return launch::write_fsdp;
  if (name == "deepspeed") return launch::write_deepspeed;
  if (name == "megatron") return launch::write_megatron;
  return name == "vllm" ? launch::write_vllm : launch::write_sglang;
}

/// The workload's own program first, then the others in the order of the file.
std::vector<const Framework*> order(const Workload& workload) {
  std::vector<const Framework*> all;
  const std::string own = name_key(launch::serves(workload) ? (workload.serving ? workload.serving->engine : "") : workload.software.framework);
  for (const Framework& one : launch::frameworks()) {
    if (std::find(one.engines.begin(), one.engines.end(), own) != one.engines.end()) all.push_back(&one);
  }
  for (const Framework& one : launch::frameworks()) {
    if (one.serves == launch::serves(workload) && std::find(all.begin(), all.end(), &one) == all.end()) all.push_back(&one);
  }
  return all;
}

bool over_rdma(const Configuration& configuration, int nodes) {
  const std::string& kind = configuration.inter_node.kind;
  return nodes > 1 && (kind == "infiniband" || kind == "roce");
}

void add_container(const launch::Job& job, LaunchKit& kit) {
  const std::string& own = job.workload.software.image;
  const std::string image = own.empty() ? job.framework.image : own;
  launch::Command command("docker run --rm");
  command.option("--gpus", "all").option("--ipc", "host").option("--network", "host");
  for (const std::string& limit : launch::ulimits()) command.option("--ulimit", limit);
  if (over_rdma(job.configuration, job.lies.nodes)) command.option("--cap-add", "IPC_LOCK").option("--device", "/dev/infiniband");
  if (kit.files.front().text.find("NODE_RANK") != std::string::npos) command.option("-e", "NODE_RANK").option("-e", "MASTER_ADDR");
  command.option("-v", "\"$PWD\":/workspace")
      .option("-w", "/workspace")
      .option("--entrypoint", "bash")
      .option(launch::quoted(image))
      .option("launch.sh");
  kit.files.push_back({"container.sh", "#!/usr/bin/env bash\nset -euo pipefail\n" + command.text() + "\n"});
  if (own.empty()) {
    const std::string driver = job.framework.image_driver.empty() ? "" : ", made for driver " + job.framework.image_driver + " and newer";
    kit.notes.push_back("Image " + image + driver + "; `advise stack` says whether the host's driver runs it, software.image names another one");
  }
  if (job.configuration.shm_gib) {
    kit.notes.push_back("--ipc host shares the host's /dev/shm; a container that the provider starts has " +
                        format_rounded(*job.configuration.shm_gib, 3) + " GiB of it");
  }
}

Issue refused(const std::vector<LaunchRefusal>& refusals) {
  Issue issue;
  issue.message = "no program that is known here can carry out this plan";
  for (const LaunchRefusal& one : refusals) issue.message += "\n  " + one.framework + ": " + one.because;
  issue.fix = "state software.framework, sharding or parallel in the workload, so that the plan is made for a program";
  return issue;
}

}  // namespace

namespace {

// Where no program recomputes a part of the layers for this job, all of them are: that needs no more memory, and a little more time.
Loaded<LaunchKit> recompute_all(const Workload& workload, const Configuration& configuration, Plan plan, const std::string& framework,
                                const Value& environment) {
  const std::string part = plan.recomputed_layers > 0 ? std::to_string(plan.recomputed_layers) + " layers" : "the attention scores only";
  plan.activation_checkpointing = "full";
  plan.recomputed_layers = 0;
  auto kit = make_launch_kit(workload, configuration, plan, framework, environment);
  if (kit)
    kit.value->notes.push_back("The plan recomputes " + part +
                               ", which no program here does for this job: all layers are recomputed, with no more memory and a little more time");
  return kit;
}

}  // namespace

std::vector<std::string> launch_frameworks() {
  std::vector<std::string> names;
  for (const Framework& one : launch::frameworks()) names.push_back(one.name);
  return names;
}

std::string why_no_launch(const std::string& framework, const Workload& workload, const Configuration& configuration, const Plan& plan) {
  const Framework* found = launch::find_framework(framework);
  return found ? launch::why_not(*found, workload, configuration, plan)
               : "no framework '" + framework + "' is known here: " + join(launch_frameworks(), ", ");
}

Loaded<LaunchKit> make_launch_kit(const Workload& workload, const Configuration& configuration, const Plan& plan, const std::string& framework,
                                  const Value& environment) {
  std::vector<const Framework*> asked = order(workload);
  std::vector<LaunchRefusal> refusals;
  if (!framework.empty()) {
    asked = {launch::find_framework(framework)};
    if (!asked.front()) refusals.push_back({framework, why_no_launch(framework, workload, configuration, plan)});
    if (!asked.front()) asked.clear();
  }
  for (const Framework* one : asked) {
    const std::string why = launch::why_not(*one, workload, configuration, plan);
    if (!why.empty()) {
      refusals.push_back({one->name, why});
      continue;
    }
    LaunchKit kit;
    kit.plan = plan;
    kit.framework = one->name;
    if (environment.is_map()) kit.environment = environment;
    kit.refusals = std::move(refusals);
    const launch::Job job{*one, workload, configuration, plan, launch::layout(configuration, plan)};
    writer_of(one->name)(job, kit);
    add_container(job, kit);
    return {std::move(kit), {}};
  }
  if (plan.activation_checkpointing == "selective") {
    if (auto kit = recompute_all(workload, configuration, plan, framework, environment)) return kit;
  }
  Loaded<LaunchKit> none;
  none.issues.push_back(refused(refusals));
  return none;
}

namespace {

Issues fault(std::string message, std::string fix) {
  Issue issue;
  issue.message = std::move(message);
  issue.fix = std::move(fix);
  Issues issues;
  issues.push_back(std::move(issue));
  return issues;
}

/// The offer of that id, or the best one, with its node count and plan.
Loaded<RankedOffer> choose(const Advisor& advisor, const Workload& workload, const std::string& offer, const Date& today) {
  Loaded<RankedOffer> chosen;
  if (offer.empty()) {
    const Decision decision = advisor.select_cluster(workload, {today, 0, 1});
    if (decision.best()) chosen.value = *decision.best();
    if (!decision.best()) chosen.issues = fault("no offer is accepted for this job", "`advise recommend` says why not");
    return chosen;
  }
  const OfferList& offers = advisor.catalog().offers();
  if (const auto found = offers.find(offer)) {
    chosen.value = rank::decide_offer(workload, offers[*found], advisor.catalog(), advisor.book(), today);
    return chosen;
  }
  std::vector<std::string> ids;
  for (std::size_t index = 0; index < offers.size(); ++index) ids.emplace_back(offers.id(index));
  const auto near = nearest_words(offer, ids, 3);
  chosen.issues = fault("no offer '" + offer + "' in the catalog",
                        near.empty() ? "`advise recommend` shows the ids" : "did you mean " + join(near, " or ") + "?");
  return chosen;
}

}  // namespace

Loaded<OfferLaunch> launch_offer(const Advisor& advisor, const Workload& workload, const std::string& offer, const std::string& framework,
                                 const Date& today) {
  Loaded<OfferLaunch> launch;
  Loaded<RankedOffer> chosen = choose(advisor, workload, offer, today);
  launch.issues = std::move(chosen.issues);
  if (chosen && !chosen.value->estimate.plan) launch.issues = fault("no plan can be made for this offer", "`advise explain` says what is missing");
  if (!chosen || !chosen.value->estimate.plan) return launch;
  const RankedOffer& ranked = *chosen.value;
  Value environment = Value::map();
  if (const auto evidence = Evidence::with_rules(advisor.rules_name()))
    environment = *evidence.value->acceptance(ranked.configuration).find("environment");
  auto kit = make_launch_kit(workload, ranked.configuration, *ranked.estimate.plan, framework, environment);
  launch.issues = std::move(kit.issues);
  if (!kit) return launch;
  if (ranked.estimate.verdict != "accept")
    kit.value->notes.push_back("The verdict on this offer is " + ranked.estimate.verdict + "; `advise explain` says why");
  launch.value = OfferLaunch{offer.empty() ? ranked.offer : offer, ranked.configuration, *ranked.estimate.plan, std::move(*kit.value)};
  return launch;
}

Value to_value(const LaunchKit& kit) {
  Value value;
  value["framework"] = kit.framework;
  for (const char* list : {"files", "notes", "refusals"}) value[list] = Value::list();
  for (const LaunchFile& file : kit.files) {
    Value entry;
    entry["name"] = file.name;
    entry["text"] = file.text;
    value["files"].push_back(std::move(entry));
  }
  value["environment"] = kit.environment;
  for (const std::string& note : kit.notes) value["notes"].push_back(note);
  for (const LaunchRefusal& one : kit.refusals) {
    Value entry;
    entry["framework"] = one.framework;
    entry["because"] = one.because;
    value["refusals"].push_back(std::move(entry));
  }
  return value;
}

Value to_value(const OfferLaunch& launch) {
  Value value;
  value["schema"] = "steelyard.launch/1";
  value["offer"] = launch.offer;
  value["configuration"] = to_value(launch.configuration);
  value["plan"] = report::form(launch.plan);
  value["launch"] = to_value(launch.kit);
  return value;
}

namespace report {

std::string text(const LaunchKit& kit) {
  std::string page = "Program: " + kit.framework + "\n";
  for (const LaunchRefusal& one : kit.refusals) page += "  not " + one.framework + ": " + one.because + "\n";
  for (const LaunchFile& file : kit.files) page += "\n--- " + file.name + "\n" + file.text;
  if (!kit.notes.empty()) page += "\nMind:\n";
  for (const std::string& note : kit.notes) page += "  " + note + "\n";
  return page;
}

}  // namespace report

}  // namespace steelyard
