// The probes of the host backend.
#pragma once

#include <memory>

#include "probes/probe.hpp"

namespace steelyard::probes {

std::unique_ptr<Probe> host_memory_probe();
std::unique_ptr<Probe> host_latency_probe();
std::unique_ptr<Probe> host_gemm_probe();
std::unique_ptr<Probe> host_collectives_probe();

}  // namespace steelyard::probes
