// The changes that bring an accepted offer to the first place: what a renter can change, the smallest first.
#include <algorithm>
#include <steelyard/advisor.hpp>

#include "support/catch.hpp"

using namespace steelyard;

namespace {

Advisor advisor_of(const std::string& offers) {
  const Imported imported =
      import_offers_text("sources:\n  test: {text: test, date: 2026-11-01}\noffers:\n" + offers, "mine.yaml", "steelyard", Catalog::embedded());
  for (const Issue& issue : imported.issues) FAIL_CHECK(to_string(issue));
  return Advisor::embedded().with_catalog(Catalog::embedded().with_offers(imported.offers));
}

std::string offer(const std::string& type, const std::string& configuration, double price, const std::string& purchase = "on_demand") {
  return "  - {provider: mine, region: eu, type: " + type + ", configuration: {gpu: H100-SXM5-80GB, gpus_per_node: 8, host_memory_gib: 2000, " +
         configuration + "}, price: {amount: " + std::to_string(price) + ", currency: USD, per: node_hour, purchase: " + purchase +
         ", date: 2026-11-01}, sources: [test]}\n";
}

// The changes under which the offer wins, as "field to value".
std::vector<std::string> ways(const Advisor& advisor, const std::string& job, const std::string& id) {
  const Workload workload = value_or_throw(parse_workload(job, "job.yaml", advisor.catalog()));
  const Explanation explanation = value_or_throw(advisor.explain(workload, id, {{2026, 11, 30}, 0}));
  REQUIRE(explanation.estimate.verdict == "accept");
  std::vector<std::string> found;
  for (const WhatIf& what_if : explanation.what_if) {
    CHECK(what_if.to == "win");
    std::string text;
    for (const WhatIf::Change& change : what_if.changes) text += (text.empty() ? "" : " and ") + change.field + " to " + to_json(change.to);
    found.push_back(text);
  }
  return found;
}

bool any_starts(const std::vector<std::string>& ways, const std::string& beginning) {
  return std::any_of(ways.begin(), ways.end(), [&](const std::string& one) { return one.compare(0, beginning.size(), beginning) == 0; });
}

const std::string lora =
    "{task: lora, method: lora, model: meta-llama/Meta-Llama-3-8B, sequence_length: 2048, batch: {global: 64}, work: {tokens: 1e8}, "
    "constraints: {nodes_max: 1}}";
const std::string large =
    "{task: full_finetune, model: meta-llama/Meta-Llama-3-70B, precision: bf16, sequence_length: 4096, batch: {global: 64}, "
    "work: {tokens: 1e8}, constraints: {nodes_max: 4}}";

}  // namespace

TEST_CASE("to win: another purchase of the same machine, as one change of the whole price") {
  const Advisor advisor =
      advisor_of(offer("a", "intra_node: nvlink", 100) + offer("a", "intra_node: nvlink", 10, "spot") + offer("b", "intra_node: nvlink", 20));
  const auto found = ways(advisor, lora, "mine/eu/a");
  CHECK(any_starts(found, "configuration.price.amount to "));
  CHECK(any_starts(found, R"(configuration.price to {"amount":10)"));
  CHECK(any_starts(found, "configuration.nodes") == false);
  CHECK(ways(advisor, lora, "mine/eu/a/spot").empty());  // is first
}

TEST_CASE("to win: no purchase is offered where the same machine has no other") {
  const Advisor advisor = advisor_of(offer("a", "intra_node: nvlink", 100) + offer("b", "intra_node: nvlink", 20, "spot"));
  CHECK_FALSE(any_starts(ways(advisor, lora, "mine/eu/a"), "configuration.price to "));
}

TEST_CASE("to win: the link inside, where the board can have a better one") {
  const std::string job =
      "{task: full_finetune, model: meta-llama/Llama-2-13b-hf, precision: bf16, sequence_length: 4096, batch: {global: 32}, "
      "work: {tokens: 1e8}, parallel: {tensor: 8}, constraints: {nodes_max: 1}}";
  const Advisor advisor = advisor_of(offer("a", "intra_node: pcie", 18) + offer("b", "intra_node: nvlink", 20));
  const auto found = ways(advisor, job, "mine/eu/a");
  CHECK(any_starts(found, R"(configuration.intra_node to "nvlink")"));
}

TEST_CASE("to win: the network between nodes, its kind or its rate") {
  const Advisor advisor = advisor_of(offer("a", "intra_node: nvlink, inter_node: {kind: roce, gbit_per_s_per_node: 100}", 19.6) +
                                     offer("b", "intra_node: nvlink, inter_node: {kind: roce, gbit_per_s_per_node: 3200}", 20));
  const auto found = ways(advisor, large, "mine/eu/a");
  CHECK(any_starts(found, "configuration.inter_node.gbit_per_s_per_node to "));
}

TEST_CASE("to win: where no speed can be predicted, the one that must be measured") {
  const Advisor advisor = advisor_of(offer("a", "intra_node: nvlink", 20) +
                                     "  - {provider: mine, region: eu, type: k, configuration: {gpu: K80, gpus_per_node: 8}, price: {amount: 1, "
                                     "currency: USD, per: node_hour, date: 2026-11-01}, sources: [test]}\n");
  const std::string job = "{task: diffusion_inference, model: stabilityai/stable-diffusion-xl-base-1.0, precision: fp16, work: {samples: 100000}}";
  const auto found = ways(advisor, job, "mine/eu/k");
  const auto speed = std::find_if(found.begin(), found.end(), [](const std::string& way) { return way.starts_with("configuration.measured."); });
  REQUIRE(speed != found.end());
  const std::string start = "configuration.measured.samples_per_s to ";
  REQUIRE(speed->starts_with(start));
  const double needed = std::stod(speed->substr(start.size()));
  // What it promises holds, and not much less would do.
  for (const auto& [share, wins] : {std::pair(1.0, true), std::pair(0.99, false)}) {
    const Advisor measured = advisor_of(offer("a", "intra_node: nvlink", 20) +
                                        "  - {provider: mine, region: eu, type: k, configuration: {gpu: K80, gpus_per_node: 8, measured: "
                                        "{samples_per_s: " +
                                        std::to_string(needed * share + 1e-6) +
                                        "}}, price: {amount: 1, currency: USD, per: node_hour, date: 2026-11-01}, sources: [test]}\n");
    const Workload workload = value_or_throw(parse_workload(job, "job.yaml", measured.catalog()));
    CHECK((measured.select_cluster(workload, {{2026, 11, 30}, 0}).best()->offer == "mine/eu/k") == wins);
  }
}

TEST_CASE("to be accepted: a picture that does not fit is generated with its parts on the host") {
  const Advisor advisor = advisor_of(
      "  - {provider: mine, region: eu, type: small, configuration: {gpu: RTX4090, gpus_per_node: 1, host_memory_gib: 128}, price: {amount: 1, "
      "currency: USD, per: node_hour, purchase: on_demand, date: 2026-11-01}, sources: [test]}\n");
  const std::string job =
      "{task: diffusion_inference, model: black-forest-labs/FLUX.1-dev, precision: bf16, inputs: {image_px: 1048576}, constraints: {nodes_max: 1}";
  const auto changes = [&](const std::string& more) {
    const Workload workload = value_or_throw(parse_workload(job + more + "}", "job.yaml", advisor.catalog()));
    const Explanation explanation = value_or_throw(advisor.explain(workload, "mine/eu/small", {{2026, 11, 30}, 0}));
    CHECK(explanation.estimate.verdict == "reject");
    std::vector<std::string> found;
    for (const WhatIf& what_if : explanation.what_if) {
      if (what_if.to == "accept") found.push_back(what_if.changes.front().field + " to " + to_json(what_if.changes.front().to));
    }
    return found;
  };
  CHECK(any_starts(changes(""), "workload.offload to \"sequential\""));
  CHECK(any_starts(changes(", offload: parameters"), "workload.offload to \"sequential\""));
}

TEST_CASE("to be accepted: an offer that the job does not ask for needs a wider wish, not a lower price") {
  const Advisor advisor = advisor_of(offer("a", "intra_node: nvlink", 100) + offer("b", "intra_node: nvlink", 20, "spot"));
  const auto changes = [&](const std::string& wishes, const char* id) {
    const std::string job =
        "{task: lora, method: lora, model: meta-llama/Meta-Llama-3-8B, sequence_length: 2048, batch: {global: 64}, work: {tokens: 1e8}, "
        "constraints: {nodes_max: 1, " +
        wishes + "}}";
    const Workload workload = value_or_throw(parse_workload(job, "job.yaml", advisor.catalog()));
    const Explanation explanation = value_or_throw(advisor.explain(workload, id, {{2026, 11, 30}, 0}));
    CHECK(explanation.estimate.verdict != "accept");
    std::vector<std::string> found;
    for (const WhatIf& what_if : explanation.what_if) {
      std::string text;
      for (const WhatIf::Change& change : what_if.changes) text += (text.empty() ? "" : " and ") + change.field + " to " + to_json(change.to);
      found.push_back(text);
    }
    return found;
  };
  using Ways = std::vector<std::string>;
  CHECK(changes("providers: [aws]", "mine/eu/a") == Ways{R"(workload.constraints.providers to ["aws","mine"])"});
  CHECK(changes("gpus: {names: [A100-SXM4-80GB]}", "mine/eu/a") == Ways{R"(workload.constraints.gpus.names to ["A100-SXM4-80GB","H100-SXM5-80GB"])"});
  CHECK(changes("markets: [cn]", "mine/eu/a") == Ways{R"(workload.constraints.markets to ["cn","eu"])"});
  CHECK(changes("spot: forbidden", "mine/eu/b/spot") == Ways{R"(workload.constraints.spot to "allowed")"});
  CHECK(changes("gpus: {max: 4}", "mine/eu/a") == Ways{"workload.constraints.gpus.max to 8"});
  CHECK(changes("providers: [aws], markets: [cn]", "mine/eu/a") ==
        Ways{R"(workload.constraints.providers to ["aws","mine"] and workload.constraints.markets to ["cn","eu"])"});
}
