#include "rank/rank.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "decide/4_cost/terms.hpp"
#include "words/phrases.hpp"

namespace steelyard::rank {

namespace {

constexpr double unknown_last = std::numeric_limits<double>::infinity();

double in_usd(const std::optional<Money>& money, const ExchangeRates& rates) {
  if (!money) return unknown_last;
  const auto usd = rates.convert(*money, "USD");
  return usd ? usd->amount : unknown_last;
}

double unit_usd(const Estimate& estimate, const ExchangeRates& rates) {
  return estimate.unit_cost ? in_usd(estimate.unit_cost->money, rates) : unknown_last;
}

}  // namespace

// What an offer costs where the work has no size: the price of an hour over what the hour brings.
double hourly_usd(const RankedOffer& ranked, const ExchangeRates& rates) {
  const auto& price = ranked.configuration.price;
  if (!price) return unknown_last;
  const int units = decide::units_of(*price, ranked.configuration.gpus_per_node, ranked.configuration.nodes);
  return in_usd(Money{decide::paid_amount(*price) * units, price->currency}, rates);
}

double main_rate(const TimeEstimate& time) {
  for (const auto& rate : {time.tokens_per_s, time.samples_per_s, time.output_tokens_per_s, time.requests_per_s}) {
    if (rate) return *rate;
  }
  return 0;
}

// Where the work is stated in hours of renting, the hours cost the same whatever they bring: compare by price of the work done.
double cost_of_work(const RankedOffer& ranked, const ExchangeRates& rates) {
  const double rate = main_rate(ranked.estimate.time);
  if (rate <= 0) return unknown_last;
  const auto& parts = ranked.estimate.cost_parts;
  // Terms make the hours of one job dearer than the price says: what is paid, over the hours that do its work.
  if (parts && ranked.estimate.cost && parts->running_h > 0) return in_usd(ranked.estimate.cost, rates) / parts->running_h / rate;
  return hourly_usd(ranked, rates) / rate;
}

void sort_ranking(std::vector<RankedOffer>& ranking, const ExchangeRates& rates) {
  using Key = std::tuple<double, double, double, double, double, std::string>;
  std::vector<std::pair<Key, std::size_t>> order;
  for (std::size_t index = 0; index < ranking.size(); ++index) {
    const RankedOffer& one = ranking[index];
    order.push_back({{one.estimate.preference.value_or(0), cost_of_work(one, rates), in_usd(one.estimate.cost, rates), unit_usd(one.estimate, rates),
                      hourly_usd(one, rates), one.offer},
                     index});
  }
  std::sort(order.begin(), order.end());
  std::vector<RankedOffer> sorted;
  sorted.reserve(ranking.size());
  for (const auto& [key, index] : order) sorted.push_back(std::move(ranking[index]));
  ranking = std::move(sorted);
  for (std::size_t index = 0; index < ranking.size(); ++index) ranking[index].rank = static_cast<int>(index) + 1;
}

std::vector<ParetoPoint> mark_dominated(std::vector<RankedOffer>& ranking, const ExchangeRates& rates) {
  std::vector<std::tuple<double, double, std::size_t>> points;
  for (std::size_t index = 0; index < ranking.size(); ++index) {
    const Estimate& estimate = ranking[index].estimate;
    if (estimate.time_h && estimate.cost) points.emplace_back(*estimate.time_h, in_usd(estimate.cost, rates), index);
  }
  std::sort(points.begin(), points.end());
  std::vector<ParetoPoint> front;
  double cheapest = unknown_last;
  std::size_t holder = 0;
  for (const auto& [hours, usd, index] : points) {
    RankedOffer& ranked = ranking[index];
    const bool ties = !front.empty() && usd == cheapest && hours == front.back().time_h;
    if (usd < cheapest) {
      front.push_back({ranked.offer, hours, *ranked.estimate.cost});
      cheapest = usd;
      holder = index;
    } else if (!ties) {
      ranked.dominated_by = ranking[holder].offer;
    }
  }
  return front;
}

std::optional<MinimalCluster> minimal_cluster(const std::vector<RankedOffer>& ranking, int first) {
  const RankedOffer* smallest = nullptr;
  std::set<int> sizes;
  for (const RankedOffer& ranked : ranking) {
    const int gpus = ranked.configuration.gpus();
    sizes.insert(gpus);
    // The ranking is in order of cost, so that the first of a size is the cheapest of it.
    const bool better = !smallest || (gpus < smallest->configuration.gpus() && gpus >= first) || smallest->configuration.gpus() < first;
    if (better) smallest = &ranked;
  }
  if (!smallest) return std::nullopt;
  MinimalCluster minimal{smallest->offer, smallest->configuration.gpus(), {}, {}};
  for (const int size : sizes) {
    if (size > minimal.gpus) minimal.grow_to.push_back(size);
  }
  minimal.because = sentence(minimal, Language::english);
  return minimal;
}

std::string sentence(const MinimalCluster& minimal, Language language) {
  const char* const text =
      minimal.gpus == 1 ? "{} GPU is the fewest to start with; grow when the job keeps them busy and the next size brings more speed than cost"
                        : "{} GPUs are the fewest to start with; grow when the job keeps them busy and the next size brings more speed than cost";
  return words::Phrases::of(language).say(text, minimal.gpus);
}

}  // namespace steelyard::rank
