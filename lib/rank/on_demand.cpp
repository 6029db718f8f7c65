#include "rank/on_demand.hpp"

#include <algorithm>

namespace steelyard::rank {

namespace {

bool is_bought(const Offer& offer, const char* purchase) { return offer.configuration.price && offer.configuration.price->purchase == purchase; }

}  // namespace

std::optional<Price> on_demand_price(const Catalog& catalog, const std::string& spot_offer) {
  const auto& offers = catalog.offers();
  const auto spot = std::find_if(offers.begin(), offers.end(), [&](const Offer& one) { return one.id == spot_offer; });
  if (spot == offers.end() || !is_bought(*spot, "spot")) return std::nullopt;
  const auto same = std::find_if(offers.begin(), offers.end(), [&](const Offer& one) {
    return is_bought(one, "on_demand") && one.machine_type == spot->machine_type && one.region == spot->region && one.provider == spot->provider &&
           one.configuration.gpus_per_node == spot->configuration.gpus_per_node;
  });
  return same == offers.end() ? std::nullopt : same->configuration.price;
}

}  // namespace steelyard::rank
