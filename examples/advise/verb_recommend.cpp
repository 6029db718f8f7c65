// advise recommend: which offer to rent.
#include <algorithm>
#include <limits>
#include <steelyard/report.hpp>
#include <steelyard/requests.hpp>

#include "common.hpp"
#include "files.hpp"

namespace advise {

using namespace steelyard;

namespace {

std::string page_of(const CommandLine& line, const std::string& format, const Advisor& advisor, const Decision& decision, std::size_t top) {
  const Language spoken = language(line);
  if (format == "json") return to_json(with_calibrations(advisor, to_value(decision, top)), 1) + "\n";
  if (format == "markdown") return report::markdown(decision, top, spoken);
  if (format == "csv") return report::csv(decision);
  if (format == "html") return report::html(decision, top, spoken);
  return report::printable(report::text(decision, top, spoken) + calibrations_text(advisor));
}

}  // namespace

int run_recommend(const Words& words) {
  CommandLine line(
      "recommend FILE... [--catalog PATH]...", "Ranks the offers of a catalog for a job, and says why not the others.",
      {"advise recommend examples/workloads/llama3-70b.yaml", "advise --task llm_inference --model Qwen2-VL-7B --tensor 2 --micro-batch 4",
       "advise recommend train.yaml ds_config.json config.json --tokens 2e8",
       "advise recommend job.yaml --catalog prices.csv --top 5 --format json"});
  line.common("text, json, markdown, csv or html")
      .values("catalog", "offers: a file in any format that import knows, or a folder of them; replaces the embedded ones");
  line.values("calibration", "what was measured on a machine (advise calibrate); may be repeated");
  line.value("top", "entries of the ranking to show (default 10)").value("today", "the day for which prices count: 2026-11-30");
  declare_language(line);
  declare_workload_flags(line);
  if (!line.parse(words)) return answered;
  const auto top = line.count("top", 10, 1'000'000'000);
  const std::string format = line.format({"text", "json", "markdown", "csv", "html"});
  const Advisor advisor = make_advisor(line);
  const Workload workload = read_workload(line, advisor.catalog());
  // Pages that show every offer need them all; the others a few of each kind.
  const bool whole = format == "csv" || format == "html";
  const std::size_t keep = whole ? std::numeric_limits<std::size_t>::max() : std::max<std::size_t>(top, 10);
  const Decision decision = advisor.select_cluster(workload, {today(line), 1, keep});
  write_output(line.text("out"), page_of(line, format, advisor, decision, top));
  return decision.ranking.empty() ? nothing_fits : answered;
}

}  // namespace advise
