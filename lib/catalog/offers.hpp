// Offers: putting the facts of a machine type under what a catalog says, and the project's own offer files.
#pragma once

#include <steelyard/catalog.hpp>

#include "catalog/machines.hpp"
#include "load/fields.hpp"

namespace steelyard::catalog {

/// Fills what the offer leaves open from the machine type: board, links, network, host. What the offer states stays.
void apply_machine(const MachineType& machine, const Catalog& facts, Offer& offer);

/// "provider/region/type", with "/spot" or "/reserved" where it is that purchase.
std::string offer_id(const Offer& offer);

struct OfferFile {
  std::vector<Offer> offers;
  bool part_of_default = true;
};
/// An offer file of our own (`offers:` with provider, region, type, price, sources). Entries with an error are issues, the others offers.
Loaded<OfferFile> load_offer_file(const load::Document& document, const Catalog& facts);

}  // namespace steelyard::catalog
