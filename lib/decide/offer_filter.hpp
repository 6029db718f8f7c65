// What the user's constraints exclude before any rule is asked: boards, providers, markets, purchase, unusable offers.
#pragma once

#include <optional>
#include <steelyard/decision.hpp>

#include "rules/rules.hpp"

namespace steelyard::decide {

/// The answer for an excluded offer (verdict reject or, where its board is not known for sure, unknown); empty where it is none.
std::optional<Estimate> excluded(const Workload& workload, const Offer& offer, const rules::Book& book);

}  // namespace steelyard::decide
