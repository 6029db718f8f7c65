// An answer that writes out few offers says the same as the whole one.
#include <steelyard/steelyard.hpp>

#include "rank/select.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

const Advisor& advisor() {
  static const Advisor embedded = Advisor::embedded();
  return embedded;
}

// The shipped offers several times over, each with a name and a price of its own; some prices equal.
Advisor many() {
  OfferList offers;
  for (int round = 0; round < 3; ++round) {
    for (Offer offer : advisor().catalog().offers()) {
      offer.id += "/" + std::to_string(round);
      offer.region += std::to_string(round % 2);
      if (round < 2 && offer.configuration.price) offer.configuration.price->amount *= 1 + 0.2 * round;
      offers.push_back(std::move(offer));
    }
  }
  return advisor().with_catalog(advisor().catalog().with_offers(std::move(offers)));
}

Workload job(const std::string& more) {
  return value_or_throw(
      parse_workload("{task: full_finetune, model: meta-llama/Llama-2-13b-hf, precision: bf16, batch: {micro: 1, global: 64},"
                     " sequence_length: 2048, work: {tokens: 1.0e8}" +
                         more + "}",
                     "job", advisor().catalog()));
}

const char* const constraints[] = {"", ", constraints: {nodes_max: 1}", ", constraints: {budget: 300 USD}",
                                   ", constraints: {deadline: 5 h, nodes_max: 2}", ", constraints: {gpus: {max: 8}, spot: forbidden}"};

}  // namespace

TEST_CASE("ten entries of an answer are the first ten of the whole one; all else is the same") {
  const Advisor all = many();
  for (const char* more : constraints) {
    INFO(more);
    const Workload workload = job(more);
    const Decision whole = all.select_cluster(workload, {{2026, 11, 30}, 1}), cut = all.select_cluster(workload, {{2026, 11, 30}, 1, 10});
    CHECK(whole.counts.accepted == whole.ranking.size());
    CHECK(whole.counts.rejected == whole.rejected.size());
    CHECK(whole.counts.undecided == whole.undecided.size());
    CHECK(whole.counts.accepted + whole.counts.rejected + whole.counts.undecided == all.catalog().offers().size());
    CHECK(cut.ranking.size() == std::min<std::size_t>(10, whole.ranking.size()));
    Value one = to_value(whole, 10), other = to_value(cut, 10);
    CHECK(to_json(one) == to_json(other));
  }
}

TEST_CASE("every offer of a catalog gets what it gets alone") {
  const Advisor all = many();
  const Workload workload = job(", constraints: {budget: 300 USD, nodes_max: 2}");
  const Decision decision = all.select_cluster(workload, {{2026, 11, 30}, 0});
  const auto alone = [&](const std::string& id) {
    const OfferList& offers = all.catalog().offers();
    return rank::decide_offer(workload, offers[offers.find(id).value()], all.catalog(), all.book(), {2026, 11, 30});
  };
  for (std::size_t index = 0; index < decision.ranking.size(); index += 17) {
    const RankedOffer& ranked = decision.ranking[index];
    const RankedOffer own = alone(ranked.offer);
    CHECK(own.estimate.verdict == "accept");
    CHECK(own.configuration == ranked.configuration);
    CHECK(own.estimate.cost->amount == ranked.estimate.cost->amount);
  }
  for (std::size_t index = 0; index < decision.rejected.size(); index += 17) {
    const RankedOffer own = alone(decision.rejected[index].offer);
    CHECK(own.estimate.verdict == "reject");
    CHECK(own.estimate.reasons.at(0) == decision.rejected[index].reason);
  }
}

TEST_CASE("offers of one name keep their own figures") {
  OfferList offers;
  Offer offer = advisor().catalog().offers().front();
  for (Offer candidate : advisor().catalog().offers()) {
    if (candidate.configuration.board->id == "H100-SXM5-80GB" && candidate.configuration.gpus_per_node == 8) offer = candidate;
  }
  for (const double amount : {10.0, 30.0}) {
    offer.configuration.price->amount = amount;
    offers.push_back(offer);
  }
  const Advisor twins = advisor().with_catalog(advisor().catalog().with_offers(std::move(offers)));
  const Decision decision = twins.select_cluster(job(", constraints: {nodes_max: 1}"), {{2026, 11, 30}, 0});
  REQUIRE(decision.ranking.size() == 2);
  CHECK(decision.ranking[1].estimate.cost.value().amount == Approx(3 * decision.ranking[0].estimate.cost.value().amount));
}

TEST_CASE("an offer list gives back what was put in, and keeps what is shared once") {
  OfferList list;
  const OfferList& shipped = advisor().catalog().offers();
  std::vector<Offer> offers;
  for (Offer offer : shipped) offers.push_back(offer);
  for (const Offer& offer : offers) list.push_back(offer);
  REQUIRE(list.size() == offers.size());
  for (std::size_t index = 0; index < offers.size(); ++index) {
    CHECK(list[index] == offers[index]);
    CHECK(list.find(offers[index].id) == index);
  }
  const std::size_t kinds = list.kinds();
  Offer twin = offers.front();
  twin.id = "elsewhere";
  twin.region = "another region";
  twin.configuration.price->amount += 1;
  list.push_back(twin);
  CHECK(list.kinds() == kinds);
  CHECK(list.back() == twin);
  CHECK_FALSE(list.find("nowhere"));
}
