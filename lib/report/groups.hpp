// Rejected offers by their code, the most frequent first.
#pragma once

#include <steelyard/decision.hpp>
#include <string>
#include <vector>

namespace steelyard::report {

struct RejectionGroup {
  std::string code;
  std::size_t count = 0;                     // of all offers
  std::vector<const RejectedOffer*> offers;  // those that the decision holds, in their order
};

std::vector<RejectionGroup> grouped(const Decision& decision);

}  // namespace steelyard::report
