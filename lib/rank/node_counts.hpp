// How many nodes of an offer to try.
#pragma once

#include <steelyard/configuration.hpp>
#include <steelyard/workload.hpp>
#include <vector>

namespace steelyard::rank {

/// Node counts to try for an offer, fewest first: what the constraints allow, doubling.
std::vector<int> node_counts(const Workload& workload, const Configuration& configuration);

}  // namespace steelyard::rank
