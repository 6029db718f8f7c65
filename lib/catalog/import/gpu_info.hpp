// What the free-text column GpuInfo of SkyPilot catalogs says: a Python dict, JSON, a bare name or prose.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace steelyard::catalog {

struct GpuInfo {
  std::string name;                     // of the device; empty where the text holds none
  std::optional<double> device_memory;  // as written in SizeInMiB, whatever unit it is in
  std::optional<double> total_memory;   // as written in TotalGpuMemoryInMiB
  std::optional<double> count;
};

GpuInfo parse_gpu_info(std::string_view text);

/// "16 GB" at the end of prose such as "T4 16GB": GB per device.
std::optional<double> memory_in_prose(std::string_view text);

}  // namespace steelyard::catalog
