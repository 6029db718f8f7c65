// The probes of the CUDA plugin.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "probes/cuda/device.hpp"
#include "probes/cuda/nvml.hpp"
#include "probes/probe.hpp"

namespace steelyard::probes::cuda {

std::unique_ptr<Probe> memory_probe();
std::unique_ptr<Probe> gemm_probe();
std::unique_ptr<Probe> transfer_probe();
std::unique_ptr<Probe> peer_probe();
std::unique_ptr<Probe> launch_probe();
std::unique_ptr<Probe> processes_probe();
std::unique_ptr<Probe> stress_probe();
std::unique_ptr<Probe> state_probe();
std::vector<std::unique_ptr<Probe>> cuda_probes();

/// A probe that needs at least so many GPUs.
class GpuProbe : public Probe {
 public:
  std::optional<std::string> why_unavailable() const override;

 protected:
  explicit GpuProbe(int needed = 1) : needed_(needed) {}

 private:
  int needed_;
};

/// Asks NVML whether a device is throttled; says no where NVML is not there.
std::function<bool()> throttle_watch(int device);

/// Throws ProbeFailure with the count where `wrong` (on the device) is not 0.
class WrongCount {
 public:
  WrongCount();
  unsigned long long* on_device() const { return counter_.as<unsigned long long>(); }
  unsigned long long get(const Stream& stream) const;
  void must_be_zero(const Stream& stream, const std::string& what) const;

 private:
  Buffer counter_;
};

}  // namespace steelyard::probes::cuda
