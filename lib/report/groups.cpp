#include "report/groups.hpp"

#include <algorithm>

namespace steelyard::report {

std::vector<RejectionGroup> grouped(const std::vector<RejectedOffer>& rejected) {
  std::vector<RejectionGroup> groups;
  for (const RejectedOffer& offer : rejected) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const RejectionGroup& one) { return one.code == offer.reason.code; });
    if (group == groups.end()) group = groups.insert(groups.end(), {offer.reason.code, {}});
    group->offers.push_back(&offer);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& one, const auto& other) { return one.offers.size() > other.offers.size(); });
  return groups;
}

}  // namespace steelyard::report
