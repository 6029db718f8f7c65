// Order and cycles of the requirement graph.
#pragma once

#include <utility>
#include <vector>

namespace steelyard::rules {

/// `order`: every node behind those it needs; empty where there are cycles. Each cycle lists its nodes in the order of need.
struct GraphOrder {
  std::vector<int> order;
  std::vector<std::vector<int>> cycles;
};

/// `needs[n]`: the nodes that node n needs.
GraphOrder order_graph(const std::vector<std::vector<int>>& needs);
/// Everything that needs a node, directly or not, in no order.
std::vector<int> reachable_from(const std::vector<std::vector<int>>& edges, int start);

}  // namespace steelyard::rules
