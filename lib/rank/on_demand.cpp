#include "rank/on_demand.hpp"

namespace steelyard::rank {

std::optional<Price> on_demand_price(const Catalog& catalog, const std::string& spot_offer) {
  const OfferList& offers = catalog.offers();
  const auto bought = [&](std::size_t index, const char* purchase) {
    const auto& price = offers.kind(offers.kind_of(index)).configuration.price;
    return price && price->purchase == purchase;
  };
  const auto found = offers.find(spot_offer);
  if (!found || !bought(*found, "spot")) return std::nullopt;
  const Offer spot = offers[*found];
  for (std::size_t index = 0; index < offers.size(); ++index) {
    const Offer& kind = offers.kind(offers.kind_of(index));
    const bool same = kind.provider == spot.provider && kind.configuration.gpus_per_node == spot.configuration.gpus_per_node &&
                      offers.machine_type(index) == spot.machine_type && offers.region(index) == spot.region;
    if (same && bought(index, "on_demand")) return offers[index].configuration.price;
  }
  return std::nullopt;
}

}  // namespace steelyard::rank
