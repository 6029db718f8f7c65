// Facts of the CPU side that probes need.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace steelyard::probes {

std::string processor_model();         // "AMD EPYC 7763"; empty where the system does not say
double last_cache_bytes();             // sum of the last-level caches, 32 MiB where the system does not say
std::optional<double> memory_bytes();  // physical, or what the control group allows
std::optional<double> available_bytes();

/// The active ports that RDMA can use, of the kind that carries most.
struct NetworkPorts {
  std::string kind;       // "infiniband" "roce" "efa"
  double gbit_per_s = 0;  // sum, one direction
};
/// From sysfs; empty where there are none.
std::optional<NetworkPorts> network_ports(const std::filesystem::path& devices = "/sys/class/infiniband");

}  // namespace steelyard::probes
