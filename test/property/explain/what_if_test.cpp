// What the answers promise under `what_if`, over offers of real price lists: each set of changes does what it says, and no part of it does.
#include <filesystem>
#include <iostream>
#include <steelyard/advisor.hpp>
#include <steelyard/requests.hpp>

#include "core/text.hpp"
#include "rank/rank.hpp"
#include "support/catch.hpp"

using namespace steelyard;
namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::path(STEELYARD_SHARED_DATA) / "catalogs" / "skypilot";
const Date today{2024, 5, 2};

bool absent() {
  if (fs::exists(folder)) return false;
  std::cout << "skipped: no catalogs at " << folder << "\n";
  return true;
}

// Every so many offers, in the order of their ids, each with the other purchase of its machine: some of all providers and boards.
std::vector<Offer> sample(std::size_t count) {
  const OfferList list = load_offers({folder}, Catalog::embedded()).offers;
  std::vector<Offer> all(list.begin(), list.end());
  std::sort(all.begin(), all.end(), [](const Offer& one, const Offer& other) { return one.id < other.id; });
  std::vector<Offer> picked;
  for (std::size_t number = 0; number < count; ++number) {
    const std::size_t at = number * all.size() / count;
    picked.push_back(all[at]);
    if (at + 1 < all.size() && all[at + 1].id == all[at].id + "/spot" && at + 1 < (number + 1) * all.size() / count) picked.push_back(all[at + 1]);
  }
  return picked;
}

const char* const jobs[] = {
    "{task: full_finetune, model: meta-llama/Llama-2-13b-hf, precision: bf16, sequence_length: 4096, batch: {global: 64}, work: {tokens: 1e8}, "
    "constraints: {nodes_max: 2}}",
    "{task: full_finetune, model: Qwen/Qwen2.5-3B, precision: bf16, sequence_length: 4096, batch: {micro: 4, global: 64}, work: {tokens: 1e8}, "
    "constraints: {nodes_max: 1}}",
    "{task: lora, method: lora, model: meta-llama/Meta-Llama-3-8B, precision: bf16, sequence_length: 2048, batch: {global: 32}, work: {tokens: 1e8}, "
    "constraints: {nodes_max: 1, budget: 60 USD}}",
    "{task: qlora, method: qlora, model: meta-llama/Meta-Llama-3-70B, sequence_length: 2048, batch: {global: 16}, work: {tokens: 1e7}, "
    "constraints: {nodes_max: 1, deadline: 8 h}}",
    "{task: llm_inference, model: meta-llama/Meta-Llama-3-70B, precision: bf16, serving: {engine: vllm, input_tokens: 1024, output_tokens: 256, "
    "concurrency: 32}, work: {hours: 100}}",
    "{task: full_finetune, model: meta-llama/Meta-Llama-3-70B, precision: bf16, sequence_length: 4096, batch: {global: 128}, work: {tokens: 1e9}, "
    "constraints: {nodes_max: 8}}",
    "{task: pretrain, model: meta-llama/Meta-Llama-3-8B, precision: bf16, sequence_length: 8192, batch: {micro: 4, global: 512}, optimizer: adamw, "
    "method: full, activation_checkpointing: none, work: {tokens: 1e10}, constraints: {nodes_max: 4, spot: forbidden}}",
    "{task: diffusion_inference, model: stabilityai/stable-diffusion-xl-base-1.0, precision: fp16, work: {samples: 100000}}",
};

struct Case {
  Workload workload;
  Configuration configuration;
};

/// A job as its user wrote it, and a machine as the answer gives it.
struct Documents {
  Value workload, configuration;
};

// As a reader of the answer would: the fields of both documents are changed, and both are read again.
Case changed(const Documents& now, const std::vector<WhatIf::Change>& changes, const Catalog& catalog) {
  Value workload = now.workload, configuration = now.configuration;
  for (const WhatIf::Change& change : changes) {
    const auto dot = change.field.find('.');
    const bool of_job = change.field.substr(0, dot) == "workload";
    REQUIRE((of_job || change.field.substr(0, dot) == "configuration"));
    (of_job ? workload : configuration).set_path(change.field.substr(dot + 1), change.to);
  }
  return {value_or_throw(workload_from_value(workload, "changed job", catalog)),
          value_or_throw(configuration_from_value(configuration, "changed machine", catalog))};
}

bool accepted(const Advisor& advisor, const Case& one) { return advisor.estimate(one.workload, one.configuration).verdict == "accept"; }

// First among all that are accepted for the changed job.
bool wins(const Advisor& advisor, const Case& one, const std::string& offer) {
  Decision decision = advisor.select_cluster(one.workload, {today, 0});
  std::vector<RankedOffer> ranking;
  for (RankedOffer& ranked : decision.ranking) {
    if (ranked.offer != offer) ranking.push_back(std::move(ranked));
  }
  RankedOffer own;
  own.offer = offer;
  own.configuration = one.configuration;
  own.estimate = advisor.estimate(one.workload, one.configuration);
  if (own.estimate.verdict != "accept") return false;
  ranking.push_back(std::move(own));
  rank::sort_ranking(ranking, advisor.catalog().rates());
  return ranking.front().offer == offer;
}

std::string words_of(const std::vector<WhatIf::Change>& changes) {
  std::string text;
  for (const WhatIf::Change& change : changes) text += change.field + " " + to_json(change.from) + " -> " + to_json(change.to) + "; ";
  return text;
}

// All parts of a set but the whole: the empty one too, which says that something has to change at all.
std::vector<std::vector<WhatIf::Change>> parts_of(const std::vector<WhatIf::Change>& changes) {
  std::vector<std::vector<WhatIf::Change>> parts;
  for (unsigned mask = 0; mask + 1 < (1u << changes.size()); ++mask) {
    parts.emplace_back();
    for (std::size_t at = 0; at < changes.size(); ++at) {
      if (mask >> at & 1u) parts.back().push_back(changes[at]);
    }
  }
  return parts;
}

int check(const Advisor& advisor, const char* job, const std::string& offer) {
  const Workload workload = value_or_throw(parse_workload(job, "job.yaml", advisor.catalog()));
  const Explanation explanation = value_or_throw(advisor.explain(workload, offer, {today, 0}));
  const Documents now{value_or_throw(parse_value(job, "job.yaml")), to_value(explanation.configuration)};
  const auto holds = [&](const WhatIf& what_if, const std::vector<WhatIf::Change>& changes) {
    const Case then = changed(now, changes, advisor.catalog());
    return what_if.to == "win" ? wins(advisor, then, offer) : accepted(advisor, then);
  };
  for (const WhatIf& what_if : explanation.what_if) {
    INFO(offer << " to " << what_if.to << ": " << words_of(what_if.changes));
    CHECK(what_if.verified);
    CHECK_FALSE(what_if.changes.empty());
    CHECK(holds(what_if, what_if.changes));
    for (const auto& part : parts_of(what_if.changes)) {
      INFO("without the rest: " << words_of(part));
      CHECK_FALSE(holds(what_if, part));
    }
  }
  return static_cast<int>(explanation.what_if.size());
}

// One rejected offer a code, and four of the ranking: the second, the last, and two between.
std::vector<std::string> offers_of(const Decision& decision) {
  std::vector<std::string> offers, codes;
  for (const RejectedOffer& rejected : decision.rejected) {
    if (rejected.reason.code == "excluded" || !rejected.configuration.board) continue;
    if (std::find(codes.begin(), codes.end(), rejected.reason.code) != codes.end()) continue;
    codes.push_back(rejected.reason.code);
    offers.push_back(rejected.offer);
  }
  const std::size_t ranked = decision.ranking.size();
  for (const std::size_t at : {std::size_t{1}, ranked / 4, ranked / 2, ranked - 1}) {
    if (ranked > 1 && at > 0 && at < ranked) offers.push_back(decision.ranking[at].offer);
  }
  return offers;
}

}  // namespace

TEST_CASE("what_if: the changes do what they promise, and no part of them does") {
  if (absent()) return;
  const Advisor advisor = Advisor::embedded().with_catalog(Catalog::embedded().with_offers(sample(160)));
  int promises = 0;
  for (const char* job : jobs) {
    INFO(job);
    const Workload workload = value_or_throw(parse_workload(job, "job.yaml", advisor.catalog()));
    for (const std::string& offer : offers_of(advisor.select_cluster(workload, {today, 0}))) promises += check(advisor, job, offer);
  }
  std::cout << promises << " promises checked\n";
  CHECK(promises > 20);
}

TEST_CASE("what_if: at the price that is said to win, the catalog with that price ranks the offer first") {
  if (absent()) return;
  std::vector<Offer> offers = sample(40);
  const Advisor advisor = Advisor::embedded().with_catalog(Catalog::embedded().with_offers(offers));
  const Workload workload = value_or_throw(parse_workload(jobs[4], "job.yaml", advisor.catalog()));
  const Decision decision = advisor.select_cluster(workload, {today, 0});
  REQUIRE(decision.ranking.size() > 2);
  const std::string third = decision.ranking[2].offer;
  const Explanation explanation = value_or_throw(advisor.explain(workload, third, {today, 0}));
  REQUIRE_FALSE(explanation.what_if.empty());
  const WhatIf::Change& change = explanation.what_if.front().changes.front();
  REQUIRE(change.field == "configuration.price.amount");
  for (Offer& offer : offers) {
    if (offer.id == third) offer.configuration.price->amount = change.to.as_number();
  }
  const Advisor cheaper = advisor.with_catalog(Catalog::embedded().with_offers(offers));
  CHECK(cheaper.select_cluster(workload, {today, 0}).best()->offer == third);
}
