// Which transports NCCL says it uses.
#pragma once

#include <steelyard/calibrate.hpp>
#include <string_view>
#include <vector>

namespace steelyard::probes {

/// Readings "nccl_transport" ("P2P/CUMEM", "NET/IB/GDRDMA", "SHM/direct", "NVLS"), each with the number of channels in `unit` "channels: N",
/// from a log of NCCL_DEBUG=INFO. Numbers of devices and names are left out.
std::vector<Reading> nccl_transports(std::string_view log);

}  // namespace steelyard::probes
