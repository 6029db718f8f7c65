// RDMA ports as ibstat, ibstatus and ibv_devinfo list them.
#pragma once

#include <optional>
#include <steelyard/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::evidence {

struct Port {
  std::string device;
  std::optional<std::int64_t> number;
  std::string state, physical_state, link_layer;  // in the words of the contract; empty where not printed
  std::optional<double> rate_gbit_per_s;          // nominal
  std::optional<std::int64_t> mtu_bytes;
  int first_line = 0, last_line = 0;
};

/// "ACTIVE" "4: ACTIVE" "PORT_ACTIVE (4)" → "Active"; words that are not known come back as printed.
std::string port_state(std::string_view printed);
/// "5: LinkUp" "LINK_UP (5)" → "LinkUp".
std::string physical_state(std::string_view printed);
/// "InfiniBand", "Ethernet" or empty.
std::string link_layer(std::string_view printed);

/// ports, ports_active, ports_down, active_infiniband, active_ethernet, mtu_bytes.
Value port_facts(const std::vector<Port>& ports);

/// Does a block of any listing of ports begin here (ibstat, ibstatus, ibv_devinfo)? It ends the block of another one.
bool begins_port_block(std::string_view text);
/// The last line of a text that ends inside such a heading ("hca_i").
bool cut_port_heading(std::string_view text);

}  // namespace steelyard::evidence
