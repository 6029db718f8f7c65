// How firm a ranking is: the price at which its first place changes, and how often it stays first when speeds vary within their intervals.
#pragma once

#include <optional>
#include <steelyard/decision.hpp>
#include <steelyard/money.hpp>
#include <vector>

namespace steelyard::explain {

/// Offers behind this place can't win within any interval that the estimate gives.
inline constexpr std::size_t most_candidates = 300;

/// Empty where the ranking has no first place with a known speed and price.
std::optional<Sensitivity> sensitivity(const std::vector<RankedOffer>& ranking, const ExchangeRates& rates);

}  // namespace steelyard::explain
