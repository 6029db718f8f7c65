#include "probes/cuda/probes.hpp"

namespace steelyard::probes::cuda {

std::optional<std::string> GpuProbe::why_unavailable() const {
  const Devices devices = find_devices();
  if (devices.count == 0) return devices.why_none;
  if (devices.count < needed_) return "needs " + std::to_string(needed_) + " GPUs, found " + std::to_string(devices.count);
  return std::nullopt;
}

std::function<bool()> throttle_watch(int device) {
  std::string why;
  const std::shared_ptr<Nvml> nvml = Nvml::open(why);
  if (!nvml) return {};
  return [nvml, id = bus_id(device)] { return nvml->throttled(id); };
}

WrongCount::WrongCount() : counter_(sizeof(unsigned long long)) { check(cudaMemset(counter_.data(), 0, counter_.bytes()), "cudaMemset"); }

unsigned long long WrongCount::get(const Stream& stream) const {
  unsigned long long count = 0;
  stream.wait();
  check(cudaMemcpy(&count, counter_.data(), sizeof count, cudaMemcpyDeviceToHost), "cudaMemcpy");
  return count;
}

void WrongCount::must_be_zero(const Stream& stream, const std::string& what) const {
  const unsigned long long count = get(stream);
  if (count > 0) throw ProbeFailure(what + ": " + std::to_string(count) + " wrong elements; no speed is reported");
}

}  // namespace steelyard::probes::cuda
