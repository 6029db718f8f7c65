// Decides all offers of a catalog without writing an answer for each: offers of one kind share their outcome, prices are looked at only where
// they can change it.
#pragma once

#include <cstdint>
#include <map>
#include <steelyard/catalog.hpp>
#include <steelyard/decision.hpp>
#include <string>
#include <utility>
#include <vector>

#include "decide/offer_filter.hpp"
#include "rank/by_price.hpp"
#include "rank/machines.hpp"

namespace steelyard::rank {

class Bulk {
 public:
  Bulk(const Workload& workload, const Catalog& catalog, const rules::Book& book, const Date& today, const decide::MeasuredBoards* measured);

  /// One for each offer, in the order of the catalog.
  const Outcome& outcome(std::size_t row) const { return outcomes_[of_row_[row]]; }
  std::uint32_t outcome_number(std::size_t row) const { return of_row_[row]; }
  const std::vector<Outcome>& outcomes() const { return outcomes_; }

  /// The configuration of an offer with the node count that was chosen.
  Configuration configuration(std::size_t row) const;
  /// The whole answer for the configuration of an accepted offer.
  Estimate priced(const Configuration& configuration) { return machines_.decide(configuration).priced(configuration, context_); }
  /// Only what an order goes by (decide::MachineDecision::figures).
  RankedOffer figures(std::size_t row) const;

 private:
  using Rows = std::vector<std::uint32_t>;

  bool exclude(Rows& rows);
  void decide_families(const std::vector<OfferList::Kind>& kinds, std::vector<Rows>& rows);
  std::uint32_t add(Outcome outcome);
  std::optional<std::uint32_t> excluded(std::size_t row);

  const Workload& workload_;
  const OfferList& offers_;
  decide::Job job_;
  decide::PriceContext context_;
  decide::OfferFilter filter_;
  Machines machines_;
  bool excluded_by_region_ = false;  // else by kind alone
  std::vector<Outcome> outcomes_;
  std::vector<std::uint32_t> of_row_;
};

}  // namespace steelyard::rank
