// Does a second node help, and what network does it take.
#include <cmath>
#include <steelyard/advisor.hpp>
#include <steelyard/requests.hpp>

#include "decide/decide.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

const Advisor& advisor() {
  static const Advisor made = Advisor::embedded();
  return made;
}

Workload job(const std::string& text) { return value_or_throw(parse_workload(text, "job.yaml", advisor().catalog())); }

const Workload& training() {
  static const Workload made =
      job("task: full_finetune\nmodel: meta-llama/Llama-3.1-8B\nbatch: {global: 256}\nsequence_length: 4096\nwork: {tokens: 1.0e9}\n");
  return made;
}

Configuration box(int nodes, const std::string& network) {
  return value_or_throw(parse_configuration(
      "{gpu: H100-SXM5-80GB, gpus_per_node: 8, nodes: " + std::to_string(nodes) + ", intra_node: nvlink, inter_node: " + network + "}", "box.yaml",
      advisor().catalog()));
}

double speed(int nodes, double gbit) {
  const Configuration made = box(nodes, "{kind: roce, gbit_per_s_per_node: " + std::to_string(gbit) + "}");
  const decide::Job asked(training(), advisor().catalog().rates(), advisor().book());
  return *decide::work_rate(decide::model(asked, made));
}

}  // namespace

TEST_CASE("the link that is found is the slowest that reaches 90 %") {
  const Estimate estimate = advisor().estimate(training(), box(1, "{kind: roce, gbit_per_s_per_node: 100}"));
  REQUIRE(estimate.scaling);
  const NodeScaling& found = *estimate.scaling;
  CHECK(found.nodes == 2);
  CHECK(found.link == "needed");
  CHECK(found.link_kind == "roce");
  REQUIRE(found.link_for_90_percent_gbit_per_s);
  const double link = *found.link_for_90_percent_gbit_per_s, one = speed(1, link);
  CHECK(speed(2, link) / one / 2 >= 0.9);
  CHECK(speed(2, link / 1.05) / one / 2 < 0.9);
  CHECK(*found.speedup == Approx(speed(2, 100) / one));
  CHECK(*found.efficiency == Approx(*found.speedup / 2));
}

TEST_CASE("nodes that are stated are compared with one of them; a network that is not stated gives no speedup, but the link that it takes") {
  const auto four = advisor().estimate(training(), box(4, "{kind: infiniband, gbit_per_s_per_node: 3200}")).scaling;
  CHECK(four->nodes == 4);
  CHECK(*four->efficiency > 0.9);
  const auto open = advisor().estimate(training(), box(1, "{}")).scaling;
  CHECK_FALSE(open->speedup);
  CHECK(open->link == "needed");
}

TEST_CASE("replicas of a server need no network between them") {
  const auto found = advisor()
                         .estimate(job("task: llm_inference\nmodel: meta-llama/Llama-3.1-8B\nserving: {input_tokens: 512, output_tokens: 128}\n"),
                                   box(1, "{kind: ethernet, gbit_per_s_per_node: 10}"))
                         .scaling;
  REQUIRE(found);
  CHECK(found->link == "any");
  CHECK(*found->efficiency == Approx(1).epsilon(0.02));
}

TEST_CASE("where one node does not hold the job there is nothing to compare with") {
  const auto found =
      advisor().estimate(job("task: pretrain\nmodel: meta-llama/Llama-3.1-405B\n"), box(2, "{kind: infiniband, gbit_per_s_per_node: 3200}")).scaling;
  REQUIRE(found);
  CHECK(found->link.empty());
  CHECK_FALSE(found->speedup);
  CHECK(found->because.find("does not hold") != std::string::npos);
}

TEST_CASE("bulk runs leave scaling out") {
  const auto estimate = decide::estimate(training(), box(2, "{kind: roce, gbit_per_s_per_node: 100}"), advisor().catalog().rates(), advisor().book(),
                                         decide::Detail::verdict);
  CHECK_FALSE(estimate.scaling);
}
