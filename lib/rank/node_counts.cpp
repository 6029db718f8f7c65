#include "rank/node_counts.hpp"

#include <algorithm>

namespace steelyard::rank {

namespace {

constexpr int most_gpus_without_limit = 1024;

}  // namespace

std::vector<int> node_counts(const Workload& workload, const Configuration& configuration) {
  const int per_node = std::max(1, configuration.gpus_per_node);
  const int most_gpus = workload.constraints.gpus_max.value_or(most_gpus_without_limit);
  const int most = std::max(1, std::min(workload.constraints.nodes_max.value_or(most_gpus / per_node), most_gpus / per_node));
  const int least = std::max(configuration.nodes, (workload.constraints.gpus_min.value_or(1) + per_node - 1) / per_node);
  std::vector<int> counts;
  for (int nodes = least; nodes <= most; nodes *= 2) counts.push_back(nodes);
  // A limit that is no power of two counts too: 3 nodes may do what 2 cannot.
  if (!counts.empty() && counts.back() != most && workload.constraints.nodes_max) counts.push_back(most);
  return counts.empty() ? std::vector<int>{least} : counts;
}

}  // namespace steelyard::rank
