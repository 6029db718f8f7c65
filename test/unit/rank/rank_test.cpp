#include "rank/rank.hpp"

#include "support/catch.hpp"
#include "support/offers.hpp"

using namespace steelyard;
using test::offer;
using test::rates;

namespace {

std::vector<std::string> names(const std::vector<RankedOffer>& ranking) {
  std::vector<std::string> ids;
  for (const RankedOffer& ranked : ranking) ids.push_back(ranked.offer);
  return ids;
}

}  // namespace

TEST_CASE("the order is that of price over speed, ties by name") {
  std::vector<RankedOffer> ranking = {offer("slow", 10, 1000), offer("b", 20, 4000), offer("a", 10, 2000), offer("fast", 40, 10000)};
  rank::sort_ranking(ranking, rates);
  CHECK(names(ranking) == std::vector<std::string>{"fast", "a", "b", "slow"});
  CHECK(ranking[2].rank == 3);
}

TEST_CASE("prices in other currencies are compared at the day's rate") {
  std::vector<RankedOffer> ranking = {offer("dollars", 15, 1000), offer("yuan", 100, 1000)};
  ranking[1].configuration.price->currency = ranking[1].estimate.cost->currency = "CNY";
  rank::sort_ranking(ranking, rates);
  CHECK(ranking.front().offer == "yuan");
}

TEST_CASE("the rule book's preference goes before cost") {
  std::vector<RankedOffer> ranking = {offer("cheap", 1, 1000), offer("preferred", 100, 1000)};
  ranking[0].estimate.preference = 2;
  ranking[1].estimate.preference = 1;
  rank::sort_ranking(ranking, rates);
  CHECK(ranking.front().offer == "preferred");
}

TEST_CASE("an offer without a known speed comes after those with one") {
  std::vector<RankedOffer> ranking = {offer("unknown", 1, 1000), offer("known", 100, 10)};
  ranking[0].estimate.time = {};
  ranking[0].estimate.time_h.reset();
  ranking[0].estimate.cost.reset();
  rank::sort_ranking(ranking, rates);
  CHECK(ranking.front().offer == "known");
}

TEST_CASE("a cheaper and otherwise equal offer never ranks lower") {
  unsigned state = 1;
  const auto random = [&] { return (state = state * 1664525u + 1013904223u) / 4294967296.0; };
  for (int round = 0; round < 200; ++round) {
    std::vector<RankedOffer> ranking;
    for (int index = 0; index < 12; ++index) ranking.push_back(offer("o" + std::to_string(index), 1 + 50 * random(), 100 + 1000 * random()));
    rank::sort_ranking(ranking, rates);
    const std::size_t chosen = static_cast<std::size_t>(random() * 12);
    const std::string id = ranking[chosen].offer;
    ranking[chosen].configuration.price->amount *= 0.7;
    ranking[chosen].estimate.cost->amount *= 0.7;
    rank::sort_ranking(ranking, rates);
    for (std::size_t place = 0; place < ranking.size(); ++place) {
      if (ranking[place].offer == id) CHECK(place <= chosen);
    }
  }
}

TEST_CASE("dominated offers name one that is no slower and no dearer") {
  std::vector<RankedOffer> ranking = {offer("fast and dear", 100, 5000), offer("cheap and slow", 5, 500), offer("dominated", 60, 1000)};
  const auto front = rank::mark_dominated(ranking, rates);
  REQUIRE(front.size() == 2);
  CHECK(front[0].offer == "fast and dear");
  CHECK(front[1].offer == "cheap and slow");
  CHECK(ranking[2].dominated_by == "fast and dear");
  CHECK(ranking[0].dominated_by.empty());
}

TEST_CASE("equal offers do not dominate each other") {
  std::vector<RankedOffer> ranking = {offer("one", 10, 1000), offer("other", 10, 1000)};
  rank::mark_dominated(ranking, rates);
  CHECK(ranking[0].dominated_by.empty());
  CHECK(ranking[1].dominated_by.empty());
}

TEST_CASE("the smallest cluster has at least two cards where there are such") {
  const std::vector<RankedOffer> ranking = {offer("eight", 10, 1000, 1e9, 8), offer("one", 1, 90, 1e9, 1), offer("two", 3, 200, 1e9, 2),
                                            offer("four", 5, 400, 1e9, 4)};
  const auto minimal = rank::minimal_cluster(ranking, 2);
  REQUIRE(minimal);
  CHECK(minimal->offer == "two");
  CHECK(minimal->grow_to == std::vector<int>{4, 8});
  const auto only_one = rank::minimal_cluster({offer("one", 1, 90, 1e9, 1)}, 2);
  CHECK(only_one->gpus == 1);
  CHECK(!rank::minimal_cluster({}, 2));
}
