// What the driver's management library says about clocks, power, temperature, throttling and links. Opened at run time.
#pragma once

#include <memory>
#include <optional>
#include <steelyard/calibrate.hpp>
#include <string>
#include <vector>

namespace steelyard::probes::cuda {

class Nvml {
 public:
  /// Empty where the library is not there or cannot start; the reason in `why`.
  static std::unique_ptr<Nvml> open(std::string& why);
  virtual ~Nvml() = default;

  virtual std::string driver_version() const = 0;  // empty where it does not say
  /// Does the device slow down for power, heat or a hardware signal just now? False where it does not say.
  virtual bool throttled(const std::string& bus_id) const = 0;
  /// Clocks, power, temperature, reasons of throttling, PCIe generation and width now and at most, NVLinks that are up.
  virtual std::vector<Reading> readings(const std::string& bus_id, int device) const = 0;
};

/// "0000:4E:00.0" of a CUDA device: how NVML is asked about the same one. Not stored anywhere.
std::string bus_id(int device);

}  // namespace steelyard::probes::cuda
