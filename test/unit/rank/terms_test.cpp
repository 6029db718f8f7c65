// Rankings, comparisons and limits where prices state terms.
#include <algorithm>

#include "explain/compare.hpp"
#include "explain/sensitivity.hpp"
#include "rank/portfolio.hpp"
#include "rank/rank.hpp"
#include "support/catch.hpp"
#include "support/offers.hpp"

using namespace steelyard;
using test::offer;
using test::rates;

namespace {

// The same offer with hours that are billed and not used, and storage.
RankedOffer with_parts(RankedOffer ranked, double unused_h, double storage = 0) {
  CostParts parts;
  const double hourly = ranked.configuration.price->amount, hours = *ranked.estimate.time_h;
  parts.currency = "USD";
  parts.running_h = parts.elapsed_h = hours;
  parts.billed_h = hours + unused_h;
  parts.compute = hourly * hours;
  parts.unused = hourly * unused_h;
  parts.storage = storage;
  ranked.estimate.cost = Money{parts.total(), "USD"};
  ranked.estimate.cost_parts = parts;
  return ranked;
}

RankedOffer spot(RankedOffer ranked) {
  ranked.configuration.price->purchase = "spot";
  return ranked;
}

}  // namespace

TEST_CASE("the order is that of what is paid for the work, not of the price of an hour") {
  const RankedOffer plain = offer("plain", 12, 1e6), minimum = offer("minimum", 10, 1e6);  // 0.28 h of work
  std::vector<RankedOffer> ranking = {with_parts(minimum, 0.7), plain};
  rank::sort_ranking(ranking, rates);
  CHECK(ranking.front().offer == "plain");
  ranking = {with_parts(minimum, 0.01), plain};
  rank::sort_ranking(ranking, rates);
  CHECK(ranking.front().offer == "minimum");
}

TEST_CASE("the price limit leaves storage as it is: at that price the next takes the first place") {
  std::vector<RankedOffer> ranking = {with_parts(offer("winner", 10, 2000), 0, 100), offer("next", 15, 2000)};
  rank::sort_ranking(ranking, rates);
  REQUIRE(ranking.front().offer == "winner");
  const auto found = explain::sensitivity(ranking, rates);
  REQUIRE(found);
  REQUIRE(found->price_limit);
  for (const auto& [factor, first] : {std::pair(0.999, "winner"), std::pair(1.001, "next")}) {
    std::vector<RankedOffer> dearer = {with_parts(offer("winner", found->price_limit->amount * factor, 2000), 0, 100), offer("next", 15, 2000)};
    rank::sort_ranking(dearer, rates);
    CHECK(dearer.front().offer == first);
  }
}

TEST_CASE("the cheapest spot machine has a role of its own, and only spot machines have it") {
  std::vector<RankedOffer> ranking = {offer("steady", 1, 2000), spot(offer("dear", 8, 2000)), spot(offer("cheap", 6, 2000))};
  rank::sort_ranking(ranking, rates);
  const auto role = [](const std::vector<Choice>& choices) {
    return std::find_if(choices.begin(), choices.end(), [](const Choice& one) { return one.role == "cheapest_spot"; });
  };
  const auto found = rank::choices(ranking, rates);
  REQUIRE(role(found) != found.end());
  CHECK(role(found)->offer == "cheap");
  ranking.resize(1);
  const auto none = rank::choices(ranking, rates);
  CHECK(role(none) == none.end());
}

TEST_CASE("a comparison lists the parts of the cost where a price states terms, and only then") {
  const auto term = [](const Comparison& comparison, const std::string& name) {
    return std::find_if(comparison.terms.begin(), comparison.terms.end(), [&](const ComparedTerm& one) { return one.term == name; });
  };
  const RankedOffer plain = offer("plain", 12, 1e6), minimum = with_parts(offer("minimum", 10, 1e6), 0.5, 3);
  const Comparison with = explain::compare(plain, minimum, rates), without = explain::compare(plain, plain, rates);
  CHECK(term(without, "unused") == without.terms.end());
  REQUIRE(term(with, "unused") != with.terms.end());
  CHECK(*term(with, "unused")->one == 0);
  CHECK(*term(with, "unused")->other == Approx(5));
  CHECK(*term(with, "storage")->other == Approx(3));
  CHECK(*term(with, "compute")->one == Approx(plain.estimate.cost->amount));
  CHECK(*term(with, "billed")->one == Approx(*plain.estimate.time_h));
}
