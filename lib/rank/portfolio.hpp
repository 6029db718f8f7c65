// The answers beside the first: best in one respect each, and the way up from a small cluster.
#pragma once

#include <steelyard/decision.hpp>
#include <steelyard/language.hpp>
#include <steelyard/money.hpp>
#include <vector>

namespace steelyard::rank {

/// Of a sorted ranking: the best value, the cheapest work, the fastest, the fewest GPUs, the cheapest hour; an offer may hold several roles.
std::vector<Choice> choices(const std::vector<RankedOffer>& ranking, const ExchangeRates& rates);

/// From the smallest cluster up: for each larger number of GPUs its first offer of the ranking, where that is faster than the step before.
std::vector<GrowthStep> growth(const std::vector<RankedOffer>& ranking, const MinimalCluster& minimal, const ExchangeRates& rates);

/// Writes the sentences of the smallest cluster and of the growth path in another language.
void say_in(Language language, Decision& decision);

}  // namespace steelyard::rank
