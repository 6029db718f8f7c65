// Facts of the CPU side that probes need.
#pragma once

#include <optional>
#include <string>

namespace steelyard::probes {

std::string processor_model();         // "AMD EPYC 7763"; empty where the system does not say
double last_cache_bytes();             // sum of the last-level caches, 32 MiB where the system does not say
std::optional<double> memory_bytes();  // physical, or what the control group allows
std::optional<double> available_bytes();

}  // namespace steelyard::probes
