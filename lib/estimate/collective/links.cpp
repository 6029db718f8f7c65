#include "estimate/collective/links.hpp"

#include <algorithm>

namespace steelyard::estimate {

double nominal_gb_per_s(const std::string& key) {
  if (key.starts_with("nvlink")) {
    const double rates[] = {80, 150, 300, 450, 900, 1800};  // NVLink 1 to 6
    return rates[std::clamp(key[6] - '1', 0, 5)];
  }
  if (key.starts_with("pcie")) return 2.0 * (1 << std::clamp(key[4] - '0', 1, 7));
  return 0;
}

namespace {

IntraLink nvlink(const Board* board, bool certain) {
  if (!board || !board->nvlink_generation) return {};
  IntraLink out{"nvlink" + std::to_string(*board->nvlink_generation), 1, certain};
  if (board->nvlink_gb_per_s_bidirectional) out.scale = *board->nvlink_gb_per_s_bidirectional / 2 / nominal_gb_per_s(out.key);
  return out;
}

IntraLink pcie(const Configuration& configuration, bool certain) {
  const Board* board = configuration.board;
  IntraLink out{"pcie" + std::to_string(board && board->pcie_generation ? *board->pcie_generation : 4), 1,
                certain && board && board->pcie_generation};
  if (board && board->pcie_lanes) out.scale = *board->pcie_lanes / 16.0;
  out.scale *= configuration.links.slot;
  const bool peer = configuration.gpu_peer_access.value_or(!board || board->peer_access.value_or(true));
  if (!peer) out.key += "_staged";
  return out;
}

}  // namespace

IntraLink intra_link(const Configuration& configuration, int gpus, std::vector<std::string>& missing) {
  const Board* board = configuration.board;
  const std::string& stated = configuration.intra_node;
  if (stated == "nvlink" || (stated == "nvlink_pairs" && gpus == 2)) {
    IntraLink link = nvlink(board, true);
    if (link.key.empty()) missing.push_back("board.nvlink_generation");
    return link;
  }
  if (stated == "pcie" || stated == "nvlink_pairs") return pcie(configuration, true);
  if (stated.empty() && board && board->nvlink_kind == "nvswitch") return nvlink(board, false);
  if (stated.empty() && board && !board->nvlink_kind.empty()) return pcie(configuration, false);
  missing.push_back("configuration.intra_node");
  return {};
}

std::optional<InterLink> inter_link(const Configuration& configuration, std::vector<std::string>& missing) {
  const InterNode& net = configuration.inter_node;
  std::optional<double> gbit = net.gbit_per_s_per_node;
  if (!gbit && net.ports_per_node && net.gbit_per_s_per_port) gbit = *net.ports_per_node * *net.gbit_per_s_per_port;
  if (net.kind.empty()) missing.push_back("configuration.inter_node.kind");
  if (!gbit) missing.push_back("configuration.inter_node.gbit_per_s_per_node");
  if (net.kind.empty() || net.kind == "none" || !gbit) return std::nullopt;
  const bool rdma = net.kind == "infiniband" || net.kind == "roce" || net.kind == "efa";
  return InterLink{net.kind, *gbit / 8, net.gpudirect.value_or(rdma || net.kind == "tcpx"), configuration.links.network,
                   configuration.links.network_latency};
}

}  // namespace steelyard::estimate
