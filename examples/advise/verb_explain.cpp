// advise explain: the whole trace of one offer.
#include <steelyard/report.hpp>
#include <steelyard/requests.hpp>

#include "common.hpp"

namespace advise {

using namespace steelyard;

int run_explain(const Words& words) {
  CommandLine line("explain WORKLOAD --offer ID [--catalog PATH]...",
                   "Why one offer is accepted or rejected: every rule that decided, with its numbers.",
                   {"advise explain job.yaml --offer aws/us-east-1/p4de.24xlarge"});
  line.common().value("offer", "the offer: provider/region/type").values("catalog", "offers, as for recommend");
  line.values("calibration", "what was measured on a machine (advise calibrate); may be repeated")
      .value("today", "the day for which prices count: 2026-11-30");
  declare_language(line);
  declare_workload_flags(line);
  if (!line.parse(words)) return answered;
  if (!line.has("offer")) throw UsageError("explain needs --offer ID; `advise recommend` shows the ids");
  const Advisor advisor = make_advisor(line);
  const Workload workload = read_workload(line, advisor.catalog());
  const Explanation explanation = value_or_throw(advisor.explain(workload, line.text("offer"), {today(line), 1}));
  print_answer(line, with_calibrations(advisor, to_value(explanation)), report::text(explanation, language(line)) + calibrations_text(advisor));
  return explanation.estimate.verdict == "reject" ? nothing_fits : answered;
}

}  // namespace advise
