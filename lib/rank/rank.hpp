// From decided offers to an order: preference, then cost, dominance, the front of time and cost, the smallest cluster.
#pragma once

#include <steelyard/decision.hpp>
#include <steelyard/language.hpp>
#include <steelyard/money.hpp>
#include <vector>

namespace steelyard::rank {

/// What an hour of the whole cluster costs, in USD; infinite where price or exchange rate is not known.
double hourly_usd(const RankedOffer& ranked, const ExchangeRates& rates);

/// Tokens, samples, output tokens or requests a second, whichever the job counts in; 0 where the speed is not known.
double main_rate(const TimeEstimate& time);

/// USD an hour over the rate: what the order goes by. Infinite where either is not known.
double cost_of_work(const RankedOffer& ranked, const ExchangeRates& rates);

/// Sorts accepted offers: preference of the rule book, cost of the whole work, cost of a unit, name; and numbers them from 1.
void sort_ranking(std::vector<RankedOffer>& ranking, const ExchangeRates& rates);

/// Names for each offer one that is no dearer and no slower and better in one of both; returns the offers that no other dominates, by time.
std::vector<ParetoPoint> mark_dominated(std::vector<RankedOffer>& ranking, const ExchangeRates& rates);

/// The accepted offer with the fewest GPUs (the cheapest of them), at least `first` where there is one, and the sizes to grow to.
std::optional<MinimalCluster> minimal_cluster(const std::vector<RankedOffer>& ranking, int first);
/// Why it is that one.
std::string sentence(const MinimalCluster& minimal, Language language);

}  // namespace steelyard::rank
