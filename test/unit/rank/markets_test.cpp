// `constraints.markets`: which market a region lies in, and what follows for offers.
#include "catalog/markets.hpp"

#include <steelyard/steelyard.hpp>

#include "rank/select.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

const Advisor& advisor() {
  static const Advisor embedded = Advisor::embedded();
  return embedded;
}

std::string market(const char* region, const char* provider = "") {
  return catalog::Markets::embedded().of_region(region, provider).value_or("unknown");
}

Loaded<Workload> parsed(const std::string& markets) {
  return parse_workload(
      "task: full_finetune\nmodel: meta-llama/Llama-2-13b-hf\nprecision: bf16\nbatch: {micro: 1, global: 64}\n"
      "sequence_length: 2048\nwork: {tokens: 1.0e8}\nconstraints:\n  nodes_max: 1\n  markets: " +
          markets + "\n",
      "job.yaml", advisor().catalog());
}

Workload job(const std::string& markets) { return value_or_throw(parsed(markets)); }

/// One machine in each of these regions, otherwise the same.
Advisor with_regions(const std::vector<std::string>& regions) {
  Offer offer = advisor().catalog().offers().front();
  for (Offer candidate : advisor().catalog().offers()) {
    if (candidate.configuration.board && candidate.configuration.board->id == "H100-SXM5-80GB" && candidate.configuration.gpus_per_node == 8)
      offer = candidate;
  }
  OfferList offers;
  for (const std::string& region : regions) {
    offer.id = "in " + region;
    offer.region = region;
    offers.push_back(offer);
  }
  return advisor().with_catalog(advisor().catalog().with_offers(std::move(offers)));
}

}  // namespace

TEST_CASE("regions as providers write them lie in markets") {
  CHECK(market("us-east-1") == "us");
  CHECK(market("us-central1-a") == "us");
  CHECK(market("westus2") == "us");
  CHECK(market("West US 2") == "us");
  CHECK(market("US") == "us");
  CHECK(market("US-TX-1") == "us");
  CHECK(market("US, CA") == "us");
  CHECK(market("CA, US") == "us");
  CHECK(market("Oregon, US") == "us");
  CHECK(market("New Mexico, US") == "us");
  CHECK(market("austin-usa-1") == "us");
  CHECK(market("eu-north1") == "eu");
  CHECK(market("eu-west-1a") == "eu");
  CHECK(market("europe-west4") == "eu");
  CHECK(market("westeurope") == "eu");
  CHECK(market("francecentral") == "eu");
  CHECK(market("SE") == "eu");
  CHECK(market("fr-par-2") == "eu");
  CHECK(market("EU-RO-1") == "eu");
  CHECK(market("FIN-01") == "eu");
  CHECK(market("warsaw-poland-1") == "eu");
  CHECK(market("eu-west-2") == "uk");
  CHECK(market("europe-west2-b") == "uk");
  CHECK(market("uksouth") == "uk");
  CHECK(market("gb-london-1") == "uk");
  CHECK(market("eu-central-2") == "ch");
  CHECK(market("europe-west6") == "ch");
  CHECK(market("EU-ZURICH-1-AD-1") == "ch");
  CHECK(market("EUR-IS-1") == "is");
  CHECK(market("norway_2_eu") == "no");
  CHECK(market("no-luster-1") == "no");
  CHECK(market("cn-hangzhou") == "cn");
  CHECK(market("chinanorth3") == "cn");
  CHECK(market("ap-guangzhou") == "cn");
  CHECK(market("北京B区") == "cn");
  CHECK(market("cn-hongkong") == "hk");
  CHECK(market("ap-east-1") == "hk");
  CHECK(market("asia-east1") == "tw");
  CHECK(market("ap-northeast-1") == "jp");
  CHECK(market("tokyo-japan-5") == "jp");
  CHECK(market("AP-SEOUL-1-AD-1") == "kr");
  CHECK(market("AP-IN-1") == "in");
  CHECK(market("asia-southeast1") == "sg");
  CHECK(market("ap-sydney-1") == "au");
  CHECK(market("generic_1_canada") == "ca");
  CHECK(market("CA") == "ca");
  CHECK(market("sa-east-1") == "br");
}

TEST_CASE("a longer name than the known one is another region") {
  CHECK(market("eu-west-2") == "uk");
  CHECK(market("eu-west-20") == "eu");
  CHECK(market("europe-west6") == "ch");
  CHECK(market("europe-west60") == "eu");
  CHECK(market("ap-northeast-10") == "unknown");
  CHECK(market("usher") == "unknown");
}

TEST_CASE("one name may be another place at another provider") {
  CHECK(market("ap-southeast-1", "aws") == "sg");
  CHECK(market("ap-southeast-1", "Huawei Cloud") == "hk");
  CHECK(market("eu-west-1", "aws") == "eu");
  CHECK(market("eu-west-1", "alicloud") == "uk");
  CHECK(market("ap-southeast-3", "aws") == "id");
  CHECK(market("ap-southeast-3", "alicloud") == "my");
  CHECK(market("ap-southeast-3", "another") == "unknown");
}

TEST_CASE("what says no place, or two, is unknown") {
  for (const char* region :
       {"", "all", "global", "asia", "default", "zone 3", "Chicago, IL", "no preference", "my office", "in house", "US, Europe", "CN/JP"}) {
    INFO(region);
    CHECK(market(region) == "unknown");
  }
}

TEST_CASE("markets are called by several names, and by no others") {
  CHECK(job("[Europe, USA, eu, China, United Kingdom, 日本]").constraints.markets == std::vector<std::string>{"eu", "us", "cn", "uk", "jp"});
  CHECK(job("cn").constraints.markets == std::vector<std::string>{"cn"});
  CHECK(job("[]").constraints.markets.empty());
  const auto complaint = [](const std::string& markets) {
    const auto loaded = parsed(markets);
    REQUIRE(loaded.issues.size() == 1);
    CHECK_FALSE(loaded.value);
    return to_string(loaded.issues[0].where) + " " + loaded.issues[0].message + " " + loaded.issues[0].fix;
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(complaint("[cn, mars]"), Contains("job.yaml:9:17") && Contains("us, eu, uk") && Contains("'mars'"));
  CHECK_THAT(complaint("chna"), Contains("job.yaml:9:12") && Contains("write china"));
  CHECK_THAT(complaint("[germany]"), Contains("write eu"));
}

TEST_CASE("machines of one kind are told apart by their markets; where a region says nothing the answer asks") {
  const Advisor all = with_regions({"us-east-1", "cn-north-1", "eu-west-2", "all", ""});
  const Decision anywhere = all.select_cluster(job("[]"), {{2026, 11, 30}});
  CHECK(anywhere.counts.accepted == 5);
  const Decision decision = all.select_cluster(job("[cn, uk]"), {{2026, 11, 30}});
  CHECK(decision.counts.accepted == 2);
  for (const RankedOffer& ranked : decision.ranking) CHECK((ranked.offer == "in cn-north-1" || ranked.offer == "in eu-west-2"));
  REQUIRE(decision.rejected.size() == 1);
  CHECK(decision.rejected[0].offer == "in us-east-1");
  CHECK(decision.rejected[0].reason.code == "excluded");
  CHECK(decision.rejected[0].reason.rule == "offer.verdict.market");
  CHECK_THAT(decision.rejected[0].reason.message, Catch::Matchers::Contains("us-east-1") && Catch::Matchers::Contains("cn, uk"));
  CHECK(decision.counts.undecided == 2);
  REQUIRE(decision.questions.size() == 1);
  CHECK(decision.questions[0].field == "offer.market");
  const OfferList& offers = all.catalog().offers();
  const char* const verdicts[] = {"reject", "accept", "accept", "unknown", "unknown"};
  for (std::size_t row = 0; row < offers.size(); ++row) {
    CHECK(rank::decide_offer(job("[cn, uk]"), offers[row], all.catalog(), all.book(), {2026, 11, 30}).estimate.verdict == verdicts[row]);
  }
}
