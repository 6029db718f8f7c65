// advise compare: two offers side by side.
#include <steelyard/report.hpp>
#include <steelyard/requests.hpp>

#include "common.hpp"

namespace advise {

using namespace steelyard;

int run_compare(const Words& words) {
  CommandLine line("compare WORKLOAD OFFER OFFER [--catalog PATH]...",
                   "Two offers side by side: the first step where they differ, then the terms of their cost.",
                   {"advise compare job.yaml aws/us-east-1/p4de.24xlarge aws/us-east-1/p5.48xlarge"});
  line.common().values("catalog", "offers, as for recommend").value("today", "the day for which prices count: 2026-11-30");
  line.values("calibration", "what was measured on a machine (advise calibrate); may be repeated");
  declare_language(line);
  declare_workload_flags(line);
  if (!line.parse(words)) return answered;
  const std::size_t given = line.files().size();
  if (given < 2 || given > 3 || (given == 2 && !names_a_job(line)))
    throw UsageError("compare takes a job file (or --task and --model) and two offers, found " + std::to_string(given) + " words");
  const Advisor advisor = make_advisor(line);
  const std::vector<std::string> offers = line.take_last_words(2);
  if (offers[0] == offers[1]) throw UsageError("compare takes two different offers, found '" + offers[0] + "' twice");
  const Workload workload = read_workload(line, advisor.catalog());
  const Comparison comparison = value_or_throw(advisor.compare(workload, offers[0], offers[1], {today(line), 1}));
  print_answer(line, with_calibrations(advisor, to_value(comparison)), report::text(comparison, language(line)) + calibrations_text(advisor));
  return comparison.better.empty() ? nothing_fits : answered;
}

}  // namespace advise
