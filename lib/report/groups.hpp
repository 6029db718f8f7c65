// Rejected offers by their code, the most frequent first.
#pragma once

#include <steelyard/decision.hpp>
#include <string>
#include <vector>

namespace steelyard::report {

struct RejectionGroup {
  std::string code;
  std::vector<const RejectedOffer*> offers;  // in the order of the answer
};

std::vector<RejectionGroup> grouped(const std::vector<RejectedOffer>& rejected);

}  // namespace steelyard::report
