#include "probes/cuda/nvml.hpp"

#include <cuda_runtime_api.h>

#include "probes/cuda/device.hpp"
#include "probes/cuda/library.hpp"

#ifndef STEELYARD_NVML_LIBRARY
#define STEELYARD_NVML_LIBRARY "libnvidia-ml.so.1"
#endif

namespace steelyard::probes::cuda {

namespace {

// The part of nvml.h that is used; its header need not be there when this is built.
using Handle = struct nvmlDevice_st*;
constexpr int kSuccess = 0;
constexpr int kClockSm = 1, kClockMemory = 2, kTemperatureGpu = 0, kNvlinks = 18;

struct ThrottleReason {
  unsigned long long bit;
  const char* words;
};
// nvmlClocksThrottleReason*: idle (1) and application clocks (2) are no throttling.
constexpr ThrottleReason kReasons[] = {
    {0x4, "sw power cap"}, {0x8, "hw slowdown"}, {0x20, "sw thermal slowdown"}, {0x40, "hw thermal slowdown"}, {0x80, "hw power brake slowdown"}};

struct Functions {
  int (*init)();
  int (*driver_version)(char*, unsigned);
  int (*by_bus_id)(const char*, Handle*);
  int (*clock)(Handle, int, unsigned*);
  int (*power)(Handle, unsigned*);
  int (*temperature)(Handle, int, unsigned*);
  int (*reasons)(Handle, unsigned long long*);
  int (*pcie_generation)(Handle, unsigned*);
  int (*pcie_width)(Handle, unsigned*);
  int (*most_pcie_generation)(Handle, unsigned*);
  int (*most_pcie_width)(Handle, unsigned*);
  int (*nvlink_state)(Handle, unsigned, int*);
};

Functions find_functions(const Library& library) {
  Functions out{};
  library.find(out.init, "nvmlInit_v2");
  library.find(out.by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  library.find_if_there(out.driver_version, "nvmlSystemGetDriverVersion");
  library.find_if_there(out.clock, "nvmlDeviceGetClockInfo");
  library.find_if_there(out.power, "nvmlDeviceGetPowerUsage");
  library.find_if_there(out.temperature, "nvmlDeviceGetTemperature");
  if (!library.find_if_there(out.reasons, "nvmlDeviceGetCurrentClocksEventReasons")) {
    library.find_if_there(out.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  library.find_if_there(out.pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  library.find_if_there(out.pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
  library.find_if_there(out.most_pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  library.find_if_there(out.most_pcie_width, "nvmlDeviceGetMaxPcieLinkWidth");
  library.find_if_there(out.nvlink_state, "nvmlDeviceGetNvLinkState");
  return out;
}

class DriverNvml final : public Nvml {
 public:
  explicit DriverNvml(const Functions& call) : call_(call) {}

  std::string driver_version() const override {
    char text[96] = "";
    return call_.driver_version && call_.driver_version(text, sizeof text) == kSuccess ? text : "";
  }

  bool throttled(const std::string& id) const override {
    const auto bits = reasons(handle(id));
    for (const ThrottleReason& reason : kReasons) {
      if (bits.value_or(0) & reason.bit) return true;
    }
    return false;
  }

  std::vector<Reading> readings(const std::string& id, int device) const override {
    const Handle of = handle(id);
    std::vector<Reading> out;
    const auto add = [&](const char* name, std::optional<double> value, const char* unit) {
      if (value) out.push_back({name, text_of(*value), unit, device});
    };
    if (call_.clock) {
      add("sm_clock", ask([&](unsigned* value) { return call_.clock(of, kClockSm, value); }), "MHz");
      add("memory_clock", ask([&](unsigned* value) { return call_.clock(of, kClockMemory, value); }), "MHz");
    }
    if (const auto milliwatts = call_.power ? ask([&](unsigned* value) { return call_.power(of, value); }) : std::nullopt)
      add("power", *milliwatts / 1000, "W");
    if (call_.temperature) add("temperature", ask([&](unsigned* value) { return call_.temperature(of, kTemperatureGpu, value); }), "C");
    const auto bits = reasons(of);
    for (const ThrottleReason& reason : kReasons) {
      if (bits.value_or(0) & reason.bit) out.push_back({"throttle_reason", reason.words, "", device});
    }
    add("pcie_generation", ask(call_.pcie_generation, of), "");
    add("pcie_width", ask(call_.pcie_width, of), "lanes");
    add("pcie_generation_most", ask(call_.most_pcie_generation, of), "");
    add("pcie_width_most", ask(call_.most_pcie_width, of), "lanes");
    add("nvlinks_up", nvlinks(of), "");
    return out;
  }

 private:
  Handle handle(const std::string& id) const {
    Handle out = nullptr;
    return call_.by_bus_id(id.c_str(), &out) == kSuccess ? out : nullptr;
  }

  template <class Call>
  static std::optional<double> ask(Call call) {
    unsigned value = 0;
    return call(&value) == kSuccess ? std::optional<double>(value) : std::nullopt;
  }
  static std::optional<double> ask(int (*call)(Handle, unsigned*), Handle of) {
    return call ? ask([&](unsigned* value) { return call(of, value); }) : std::nullopt;
  }

  std::optional<unsigned long long> reasons(Handle of) const {
    unsigned long long bits = 0;
    return call_.reasons && call_.reasons(of, &bits) == kSuccess ? std::optional(bits) : std::nullopt;
  }

  std::optional<double> nvlinks(Handle of) const {
    if (!call_.nvlink_state) return std::nullopt;
    double up = 0;
    for (unsigned link = 0; link < kNvlinks; ++link) {
      int state = 0;
      if (call_.nvlink_state(of, link, &state) == kSuccess && state != 0) ++up;
    }
    return up;
  }

  static std::string text_of(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }

  Functions call_;
};

}  // namespace

std::unique_ptr<Nvml> Nvml::open(std::string& why) {
  try {
    const Library library({STEELYARD_NVML_LIBRARY});
    const Functions functions = find_functions(library);
    if (functions.init() == kSuccess) return std::make_unique<DriverNvml>(functions);
    why = "NVML does not start: is the driver loaded?";
  } catch (const NotAvailable& reason) {
    why = reason.what();
  }
  return nullptr;
}

std::string bus_id(int device) {
  char text[32] = "";
  check(cudaDeviceGetPCIBusId(text, sizeof text, device), "cudaDeviceGetPCIBusId");
  return text;
}

}  // namespace steelyard::probes::cuda
