// The answers beside the first: best in one respect each, and the way up from a small cluster.
#pragma once

#include <steelyard/catalog.hpp>
#include <steelyard/decision.hpp>
#include <steelyard/language.hpp>
#include <steelyard/money.hpp>
#include <vector>

namespace steelyard::rank {

/// Of a sorted ranking: the best value, the cheapest work, the fastest, the fewest GPUs, the cheapest hour, the cheapest spot machine (with what its
/// interruptions cost where their rate is stated); an offer may hold several roles.
std::vector<Choice> choices(const std::vector<RankedOffer>& ranking, const ExchangeRates& rates);
/// Where nobody says how often the cheapest spot machine is taken back: how often it may be until the same machine on demand is cheaper.
void add_break_even(Decision& decision, const Catalog& catalog);

/// From the smallest cluster up: for each larger number of GPUs its first offer of the ranking, where that is faster than the step before.
std::vector<GrowthStep> growth(const std::vector<RankedOffer>& ranking, const MinimalCluster& minimal, const ExchangeRates& rates);

/// Writes the sentences of the smallest cluster and of the growth path in another language.
void say_in(Language language, Decision& decision);

}  // namespace steelyard::rank
