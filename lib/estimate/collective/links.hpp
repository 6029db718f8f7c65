// Which link the GPUs of a configuration talk over, in one node and between nodes.
#pragma once

#include <optional>
#include <steelyard/configuration.hpp>
#include <string>
#include <vector>

namespace steelyard::estimate {

/// The link inside a node. `key`: "nvlink2" ... "nvlink5", "pcie3" ... "pcie6", with "_staged" where copies pass through host memory.
struct IntraLink {
  std::string key;
  double scale = 1;     // rate against the link's usual one: an A800's NVLink is 400 of 600 GB/s
  bool certain = true;  // false: taken from the board's facts or assumed
};

/// Nominal one-way rate of a link per GPU in 1e9 bytes/s: NVLink 2 to 5: 150 300 450 900; PCIe 3 to 6: 16 32 64 128 (NVIDIA and PCI-SIG, all lanes).
double nominal_gb_per_s(const std::string& key);

/// The link that `gpus` GPUs of one node (or one NVLink domain) use; empty key where the facts are missing, named in `missing`.
IntraLink intra_link(const Configuration& configuration, int gpus, std::vector<std::string>& missing);

/// The link between nodes.
struct InterLink {
  std::string kind;              // "infiniband" "roce" "efa" "tcpx" "ethernet" ...
  double gb_per_s_per_node = 0;  // one direction, 1e9 bytes/s
  bool gpudirect = true;
  double scale = 1, latency_scale = 1;  // rate and start-up time against the usual ones of such a network
};
std::optional<InterLink> inter_link(const Configuration& configuration, std::vector<std::string>& missing);

}  // namespace steelyard::estimate
