#include "report/groups.hpp"

#include <algorithm>

namespace steelyard::report {

std::vector<RejectionGroup> grouped(const Decision& decision) {
  std::vector<RejectionGroup> groups;
  for (const auto& [code, count] : decision.counts.rejected_by_code) groups.push_back({code, count, {}});
  for (const RejectedOffer& offer : decision.rejected) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const RejectionGroup& one) { return one.code == offer.reason.code; });
    if (group != groups.end()) group->offers.push_back(&offer);
  }
  return groups;
}

}  // namespace steelyard::report
