// advise estimate: memory, time and cost of a job on one configuration.
#include <steelyard/report.hpp>
#include <steelyard/requests.hpp>

#include "batch.hpp"
#include "common.hpp"
#include "files.hpp"

namespace advise {

using namespace steelyard;

int run_estimate(const Words& words) {
  CommandLine line("estimate WORKLOAD --on CONFIGURATION", "Does the job fit, how fast does it run, what does it cost, and how sure is that.",
                   {"advise estimate job.yaml --on box.yaml", "advise estimate --batch requests.jsonl --format json"});
  line.common().value("on", "the configuration: a YAML or JSON file").value("batch", "one JSON request a line; answers in the same order");
  line.values("calibration", "what was measured on a machine (advise calibrate); may be repeated")
      .values("catalog", "not used by estimates of a stated configuration");
  declare_language(line);
  declare_workload_flags(line);
  if (!line.parse(words)) return answered;
  const Advisor advisor = make_advisor(line);
  if (line.has("batch")) {
    if (line.has("on") || !line.files().empty()) throw UsageError("estimate takes --batch, or WORKLOAD and --on, not both");
    const auto answer = [&](std::string text, const std::string& place) { return answer_estimate(advisor, std::move(text), place); };
    write_output(line.text("out"), run_batch(line.text("batch"), line.timeout_s(), answer));
    return answered;
  }
  if (!line.has("on")) throw UsageError("estimate needs --on CONFIGURATION, a YAML or JSON file");
  const Workload workload = read_workload(line, advisor.catalog());
  const std::string file = line.text("on");
  const Configuration configuration = value_or_throw(parse_configuration(read_input(file, line.timeout_s()), file, advisor.catalog()));
  const Estimate estimate = advisor.estimate(workload, configuration);
  print_answer(line, with_calibrations(advisor, to_value(estimate)), report::text(estimate, language(line)) + calibrations_text(advisor));
  return estimate.verdict == "reject" ? nothing_fits : answered;
}

}  // namespace advise
