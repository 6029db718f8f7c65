// Two offers side by side: the first step where they differ, then the terms of their cost.
#pragma once

#include <steelyard/decision.hpp>
#include <steelyard/language.hpp>
#include <steelyard/money.hpp>

namespace steelyard::explain {

/// Of two offers decided with full traces for the same job.
Comparison compare(RankedOffer one, RankedOffer other, const ExchangeRates& rates, Language language = Language::english);

}  // namespace steelyard::explain
