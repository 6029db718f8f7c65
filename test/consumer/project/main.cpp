// A procurement tool in miniature: asks for a cluster and prints why.
#include <iostream>
#include <steelyard/steelyard.hpp>

int main() {
  const steelyard::Advisor advisor = steelyard::Advisor::embedded();
  const auto job =
      steelyard::parse_workload("{task: lora, method: lora, model: meta-llama/Meta-Llama-3-8B, sequence_length: 2048, batch: {micro: 1, global: 64}}",
                                "job", advisor.catalog());
  const steelyard::Decision decision = advisor.select_cluster(steelyard::value_or_throw(job), {{2026, 11, 30}, 1});
  std::cout << steelyard::report::text(decision, 3);
  return decision.best() ? 0 : 1;
}
