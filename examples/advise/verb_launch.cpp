// advise launch: the files that start a job as it was planned.
#include <filesystem>
#include <steelyard/evidence.hpp>
#include <steelyard/launch.hpp>

#include "common.hpp"
#include "files.hpp"

namespace advise {

using namespace steelyard;

namespace {

// The plan for a configuration that the user has already.
OfferLaunch launch_on(const CommandLine& line, const Advisor& advisor, const Workload& workload) {
  const std::string file = line.text("on");
  OfferLaunch launch{file, value_or_throw(parse_configuration(read_input(file), file, advisor.catalog())), {}, {}};
  const Estimate estimate = advisor.estimate(workload, launch.configuration);
  if (!estimate.plan) throw UsageError("no plan can be made for " + file + "; `advise estimate` says what is missing");
  launch.plan = *estimate.plan;
  const Value acceptance = value_or_throw(Evidence::with_rules(advisor.rules_name())).acceptance(launch.configuration);
  launch.kit = value_or_throw(make_launch_kit(workload, launch.configuration, launch.plan, line.text("for"), *acceptance.find("environment")));
  if (estimate.verdict != "accept")
    launch.kit.notes.push_back("The verdict on this configuration is " + estimate.verdict + "; `advise estimate` says why");
  return launch;
}

void write_files(const std::string& folder, const LaunchKit& kit) {
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  for (const LaunchFile& file : kit.files) write_output((std::filesystem::path(folder) / file.name).string(), file.text);
}

}  // namespace

int run_launch(const Words& words) {
  CommandLine line("launch FILE... [--offer ID | --on CONFIGURATION] [--for PROGRAM] [--out FOLDER]",
                   "Writes what makes the plan of an offer true: launch.sh, the configuration of the program, and a container line. Without --offer "
                   "the best offer counts. "
                   "--out names a folder here.",
                   {"advise launch job.yaml --offer aws/us-east-1/p4de.24xlarge --out run", "advise launch job.yaml --on box.yaml --for megatron"});
  line.common().value("offer", "the offer: provider/region/type").value("on", "a configuration that is there already: a YAML or JSON file");
  line.value("for", "fsdp, deepspeed, megatron, vllm, sglang; without it the first that can carry out the plan");
  line.values("catalog", "offers, as for recommend").value("today", "the day for which prices count: 2026-11-30");
  line.values("calibration", "what was measured on a machine (advise calibrate); may be repeated");
  declare_workload_flags(line);
  if (!line.parse(words)) return answered;
  if (line.has("offer") && line.has("on")) throw UsageError("launch takes --offer or --on, not both");
  const Advisor advisor = make_advisor(line);
  const Workload workload = read_workload(line, advisor.catalog());
  const OfferLaunch launch = line.has("on") ? launch_on(line, advisor, workload)
                                            : value_or_throw(launch_offer(advisor, workload, line.text("offer"), line.text("for"), today(line)));
  if (line.has("out")) write_files(line.text("out"), launch.kit);
  std::string names;
  for (const LaunchFile& file : launch.kit.files) names += line.text("out") + "/" + file.name + "\n";
  const bool json = line.format() == "json";
  write_output("", json ? to_json(to_value(launch), 1) + "\n" : line.has("out") ? names : launch.offer + "\n" + report::text(launch.kit));
  return answered;
}

}  // namespace advise
