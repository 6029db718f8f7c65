// advise recommend: which offer to rent.
#include <steelyard/report.hpp>
#include <steelyard/requests.hpp>

#include "common.hpp"

namespace advise {

using namespace steelyard;

int run_recommend(const Words& words) {
  CommandLine line(
      "recommend WORKLOAD [--catalog PATH]...", "Ranks the offers of a catalog for a job, and says why not the others.",
      {"advise recommend examples/workloads/llama3-70b.yaml", "advise --task llm_inference --model Qwen2-VL-7B --tensor 2 --micro-batch 4",
       "advise recommend job.yaml --catalog prices.csv --top 5 --format json"});
  line.common().values("catalog", "offers: a file in any format that import knows, or a folder of them; replaces the embedded ones");
  line.values("calibration", "calibration file; not applied by estimates yet, and refused");
  line.value("top", "entries of the ranking to show (default 10)").value("today", "the day for which prices count: 2026-11-30");
  declare_workload_flags(line);
  if (!line.parse(words)) return answered;
  const auto top = static_cast<std::size_t>(line.number("top", 10, 1, 1e9));
  const Advisor advisor = make_advisor(line);
  const Workload workload = read_workload(line, advisor.catalog());
  const Decision decision = advisor.select_cluster(workload, {today(line), 1});
  print_answer(line, to_value(decision, top), report::text(decision, top));
  return decision.ranking.empty() ? nothing_fits : answered;
}

}  // namespace advise
