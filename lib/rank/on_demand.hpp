// The same machine on demand, for judging an offer of spot.
#pragma once

#include <steelyard/catalog.hpp>
#include <steelyard/configuration.hpp>
#include <string>

namespace steelyard::rank {

/// The price on demand of the machine that a spot offer sells, at the same provider and place. Empty where the offer is no spot offer, or its machine
/// is not sold on demand there. Looks through the whole catalog: for single offers, not for all.
std::optional<Price> on_demand_price(const Catalog& catalog, const std::string& spot_offer);

}  // namespace steelyard::rank
