#include "rank/portfolio.hpp"

#include <algorithm>

#include "explain/compare.hpp"
#include "explain/sensitivity.hpp"
#include "rank/rank.hpp"
#include "support/catch.hpp"
#include "support/offers.hpp"

using namespace steelyard;
using test::offer;
using test::rates;

namespace {

std::vector<RankedOffer> sorted(std::vector<RankedOffer> ranking) {
  rank::sort_ranking(ranking, rates);
  return ranking;
}

const Choice& role(const std::vector<Choice>& choices, const std::string& name) {
  return *std::find_if(choices.begin(), choices.end(), [&](const Choice& one) { return one.role == name; });
}

// The same speed give or take a share.
RankedOffer with_interval(RankedOffer ranked, double share, const Board* board) {
  const double rate = *ranked.estimate.time.tokens_per_s;
  ranked.estimate.time.interval = Interval{rate * (1 - share), rate / (1 - share), "tokens_per_s"};
  ranked.configuration.board = board;
  return ranked;
}

}  // namespace

TEST_CASE("each role goes to the offer that is best in it") {
  const auto ranking = sorted({offer("value", 10, 4000), offer("fast", 100, 20000), offer("small", 2, 100, 1e9, 1)});
  const auto found = rank::choices(ranking, rates);
  CHECK(role(found, "best_value").offer == "value");
  CHECK(role(found, "cheapest_work").offer == "value");
  CHECK(role(found, "fastest").offer == "fast");
  CHECK(role(found, "fewest_gpus").offer == "small");
  CHECK(role(found, "cheapest_hour").offer == "small");
  CHECK(rank::choices({}, rates).empty());
}

TEST_CASE("growth climbs only to sizes that are faster, each against the step before") {
  const auto ranking =
      sorted({offer("one", 2, 1000, 1e9, 1), offer("two", 4, 1900, 1e9, 2), offer("four", 9, 1800, 1e9, 4), offer("eight", 20, 7600, 1e9, 8)});
  const auto minimal = rank::minimal_cluster(ranking, 1);
  REQUIRE(minimal);
  const auto steps = rank::growth(ranking, *minimal, rates);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].offer == "one");
  CHECK(steps[1].offer == "two");
  CHECK(*steps[1].speedup == Approx(1.9));
  CHECK(*steps[1].cost_ratio == Approx(4.0 / 1.9 / 2.0));
  CHECK(steps[2].offer == "eight");
  CHECK(*steps[2].speedup == Approx(4));
}

TEST_CASE("the price limit is the price at which the next takes the first place") {
  auto ranking = sorted({offer("winner", 10, 2000), offer("next", 15, 2000)});
  const auto found = explain::sensitivity(ranking, rates);
  REQUIRE(found);
  CHECK(found->runner_up == "next");
  REQUIRE(found->price_limit);
  for (const auto& [factor, first] : {std::pair(0.999, "winner"), std::pair(1.001, "next")}) {
    auto dearer = ranking;
    for (RankedOffer& one : dearer) {
      if (one.offer == "winner") one.configuration.price->amount = found->price_limit->amount * factor;
    }
    rank::sort_ranking(dearer, rates);
    CHECK(dearer.front().offer == first);
  }
}

TEST_CASE("shares of wins: certain without intervals, even between equals, shared within a board") {
  const Board one_board, other_board;
  CHECK_FALSE(explain::sensitivity({}, rates));

  const auto certain = explain::sensitivity(sorted({offer("a", 10, 2000), offer("b", 11, 2000)}), rates);
  REQUIRE(certain);
  REQUIRE(certain->wins.size() == 1);
  CHECK(certain->wins.front() == std::pair<std::string, double>("a", 1.0));

  const auto equals = explain::sensitivity(
      sorted({with_interval(offer("a", 10, 2000), 0.2, &one_board), with_interval(offer("b", 10, 2000), 0.2, &other_board)}), rates);
  REQUIRE(equals);
  REQUIRE(equals->wins.size() == 2);
  CHECK(equals->wins[0].second + equals->wins[1].second == Approx(1));
  CHECK(equals->wins[0].second == Approx(0.5).margin(0.05));

  const auto same_board = explain::sensitivity(
      sorted({with_interval(offer("a", 10, 2000), 0.2, &one_board), with_interval(offer("b", 10.1, 2000), 0.2, &one_board)}), rates);
  REQUIRE(same_board);
  CHECK(same_board->wins.size() == 1);  // the error of a board's speed is the same for both
}

TEST_CASE("compare names the better one, its factor, and the first step where rules differ") {
  RankedOffer cheap = offer("cheap", 10, 2000), dear = offer("dear", 30, 2000);
  cheap.estimate.trace = {{"task", "task.verdict", "task.verdict.fits", {}, {}, "40 of 79 GiB", {}},
                          {"network", "network.verdict", "network.one", {}, {}, "1 node", {}}};
  dear.estimate.trace = {{"task", "task.verdict", "task.verdict.fits", {}, {}, "70 of 79 GiB", {}},
                         {"network", "network.verdict", "network.many", {}, {}, "4 nodes", {}}};
  const Comparison found = explain::compare(cheap, dear, rates);
  CHECK(found.better == "cheap");
  CHECK(found.because.find("3 times") != std::string::npos);
  CHECK(found.first_difference == "network");
  RankedOffer rejected = dear;
  rejected.estimate.verdict = "reject";
  CHECK(explain::compare(rejected, cheap, rates).better == "cheap");
  cheap.estimate.verdict = "unknown";
  CHECK(explain::compare(rejected, cheap, rates).better.empty());
}
