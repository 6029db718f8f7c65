// What the user's constraints exclude before any rule is asked: boards, providers, markets, purchase, unusable offers.
#pragma once

#include <optional>
#include <steelyard/decision.hpp>
#include <string_view>

#include "rules/rules.hpp"

namespace steelyard::decide {

/// Asks a book about many offers, one after the other.
class OfferFilter {
 public:
  OfferFilter(const Workload& workload, const rules::Book& book);
  /// The answer for an excluded offer of a region (verdict reject or, where its board is not known for sure, unknown); empty where it is none.
  std::optional<Estimate> excluded(const Offer& offer, std::string_view region);

 private:
  const Workload& workload_;
  rules::Session session_;
  std::optional<rules::DecisionId> verdict_;
};

/// The same for one offer.
std::optional<Estimate> excluded(const Workload& workload, const Offer& offer, const rules::Book& book);

}  // namespace steelyard::decide
