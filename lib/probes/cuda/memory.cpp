// Copy and triad in GPU memory, past the last cache.
#include <algorithm>

#include "calibrate/rates.hpp"
#include "calibrate/sampler.hpp"
#include "core/text.hpp"
#include "probes/cuda/kernels.hpp"
#include "probes/cuda/probes.hpp"

namespace steelyard::probes::cuda {

namespace {

constexpr double kScalar = 3;

class Arrays {
 public:
  explicit Arrays(std::size_t count) : count_(count), a_(count * 8), b_(count * 8), c_(count * 8) {
    check(fill_stream(a_.as<double>(), b_.as<double>(), c_.as<double>(), count, stream_.get()), "fill");
  }

  void pass(bool triad_wanted) {
    const cudaError_t result = triad_wanted ? triad(a_.as<double>(), b_.as<double>(), c_.as<double>(), kScalar, count_, stream_.get())
                                            : copy(a_.as<double>(), b_.as<double>(), count_, stream_.get());
    check(result, triad_wanted ? "triad" : "copy");
  }

  void verify(bool triad_wanted, const std::string& what) {
    WrongCount wrong;
    pass(triad_wanted);
    check(check_stream(a_.as<double>(), triad_wanted ? kScalar : 0, count_, wrong.on_device(), stream_.get()), "check");
    wrong.must_be_zero(stream_, what);
  }

  double timed_passes(bool triad_wanted, int repeats) {
    return timed(stream_, watch_, repeats, [&] { pass(triad_wanted); });
  }

 private:
  std::size_t count_;
  Buffer a_, b_, c_;
  Stream stream_;
  Stopwatch watch_;
};

class MemoryProbe final : public GpuProbe {
 public:
  std::string_view name() const override { return "cuda.memory"; }

  void run(const Request& request, Output& output) override {
    const int devices = find_devices().count;
    for (int device = 0; device < devices; ++device) {
      use_device(device);
      const auto sizes = array_sizes(request);
      const double each = request.budget_s / devices / (2 * static_cast<double>(sizes.size()));
      for (const double bytes : sizes) measure(bytes, device, each, output);
    }
  }

 private:
  // A quarter GiB and a GiB a array where they fit: the last caches of today's boards hold up to 126 MB.
  static std::vector<double> array_sizes(const Request& request) {
    const double room = std::min(memory_of_device().free_bytes / 4, request.most_bytes);
    std::vector<double> out;
    for (const double wanted : {268435456.0, 1073741824.0}) {
      const double bytes = std::max(4096.0, static_cast<double>(static_cast<std::size_t>(std::min(wanted, room)) / 4096 * 4096));
      if (out.empty() || bytes > out.back()) out.push_back(bytes);
    }
    return out;
  }

  static void measure(double bytes, int device, double budget_s, Output& output) {
    Arrays arrays(static_cast<std::size_t>(bytes) / sizeof(double));
    for (const bool triad_wanted : {false, true}) {
      const std::string kind = triad_wanted ? "triad" : "copy";
      arrays.verify(triad_wanted, kind + " of " + format_number(bytes) + " bytes on GPU " + std::to_string(device));
      const auto samples = calibration::sample([&](int repeats) { return arrays.timed_passes(triad_wanted, repeats); }, {.budget_s = budget_s},
                                               throttle_watch(device));
      Measurement out;
      out.metric = "memory." + kind;
      out.backend = "cuda";
      out.at = {{"bytes", bytes}, {"device", device}};
      out.time = samples.statistics();
      out.value = calibration::gb_per_s(*calibration::stream_bytes(kind, bytes), out.time.median_s);
      out.unit = "gb_per_s";
      out.method = "probe cuda 1, double, 16 bytes an access, every element verified";
      output.add(out);
    }
  }
};

}  // namespace

std::unique_ptr<Probe> memory_probe() { return std::make_unique<MemoryProbe>(); }

}  // namespace steelyard::probes::cuda
