// What the machine is and how it behaves under load: names, versions, clocks, power, temperature, throttling, links.
#include <algorithm>
#include <cmath>

#include "probes/cuda/kernels.hpp"
#include "probes/cuda/probes.hpp"

namespace steelyard::probes::cuda {

namespace {

std::string version_text(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

class StateProbe final : public GpuProbe {
 public:
  std::string_view name() const override { return "cuda.state"; }

  void run(const Request& request, Output& output) override {
    const int devices = find_devices().count;
    describe(devices, output);
    std::string why;
    const auto nvml = Nvml::open(why);
    if (!nvml) {
      output.add(Reading{"nvml", "not available: " + why, "", {}});
      return;
    }
    if (!nvml->driver_version().empty()) output.software("driver", nvml->driver_version());
    for (int device = 0; device < devices; ++device) {
      use_device(device);
      // Links and clocks are those of idleness unless something runs.
      const Load load(std::min(1.0, request.budget_s / devices));
      for (const Reading& one : nvml->readings(bus_id(device), device)) output.add(one);
    }
  }

 private:
  // Memory traffic of about so many seconds, still running while this lives.
  class Load {
   public:
    explicit Load(double seconds)
        : bytes_(static_cast<std::size_t>(std::min(268435456.0, memory_of_device().free_bytes / 8)) / 4096 * 4096), one_(bytes_), other_(bytes_) {
      const double once = timed(stream_, watch_, 1, [&] { pass(); });
      const int passes = static_cast<int>(std::clamp(seconds / std::max(once, 1e-6), 1.0, 2000.0));
      timed(stream_, watch_, passes / 2 + 1, [&] { pass(); });
      for (int i = 0; i < passes / 2; ++i) pass();
    }
    ~Load() { cudaStreamSynchronize(stream_.get()); }

   private:
    void pass() { check(copy(one_.as<double>(), other_.as<double>(), bytes_ / 8, stream_.get()), "copy"); }

    std::size_t bytes_;
    Buffer one_, other_;
    Stream stream_;
    Stopwatch watch_;
  };

  static void describe(int devices, Output& output) {
    int runtime = 0, driver = 0;
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    output.software("cuda", version_text(runtime));
    output.software("cuda_of_driver", version_text(driver));
    cudaDeviceProp first{};
    for (int device = 0; device < devices; ++device) {
      cudaDeviceProp properties{};
      check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
      if (device == 0) first = properties;
      if (std::string(properties.name) != first.name) {
        output.add(Reading{"mixed_gpus", std::string(properties.name) + " beside " + first.name, "", device});
      }
    }
    CalibratedMachine machine;
    machine.gpu = first.name;
    machine.gpu_memory_gib = std::round(static_cast<double>(first.totalGlobalMem) / 1073741824.0 * 100) / 100;
    machine.gpus_per_node = devices;
    output.machine(machine);
    output.add(Reading{"compute_capability", std::to_string(first.major) + "." + std::to_string(first.minor), "", {}});
    output.add(Reading{"multiprocessors", std::to_string(first.multiProcessorCount), "", {}});
  }
};

}  // namespace

std::unique_ptr<Probe> state_probe() { return std::make_unique<StateProbe>(); }

}  // namespace steelyard::probes::cuda
