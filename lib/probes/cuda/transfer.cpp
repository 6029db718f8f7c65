// Copies between pinned host memory and a GPU.
#include <algorithm>

#include "calibrate/rates.hpp"
#include "calibrate/sampler.hpp"
#include "core/text.hpp"
#include "probes/cuda/kernels.hpp"
#include "probes/cuda/probes.hpp"

namespace steelyard::probes::cuda {

namespace {

class TransferProbe final : public GpuProbe {
 public:
  std::string_view name() const override { return "cuda.transfer"; }

  void run(const Request& request, Output& output) override {
    const int devices = find_devices().count;
    for (int device = 0; device < devices; ++device) {
      use_device(device);
      // Pinned buffers and their checks take longest: a short budget takes a smaller largest size and fewer of them.
      const double budget_s = request.budget_s / devices, largest = budget_s < kShort_s ? 33554432.0 : 268435456.0;
      const double most = std::min({largest, memory_of_device().free_bytes / 8, request.most_bytes});
      const auto sizes = calibration::size_ladder(std::min(4096.0, most), most, calibration::points_for(budget_s, kSecondsEach, 3, 9));
      for (const double bytes : sizes) measure(bytes, device, budget_s / (2 * static_cast<double>(sizes.size())), output);
    }
  }

 private:
  static constexpr double kShort_s = 0.5, kSecondsEach = 0.05;  // of one device; of a size

  static void measure(double bytes, int device, double budget_s, Output& output) {
    const auto size = static_cast<std::size_t>(bytes);
    const Pinned host(size), back(size);
    const Buffer there(size);
    const Stream stream;
    Stopwatch watch;
    verify(host, back, there, stream, "copies of " + format_number(bytes) + " bytes between host and GPU " + std::to_string(device));
    for (const bool to_device : {true, false}) {
      const auto copy_once = [&] {
        const auto kind = to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
        check(cudaMemcpyAsync(to_device ? there.data() : back.data(), to_device ? host.data() : there.data(), size, kind, stream.get()),
              "cudaMemcpyAsync");
      };
      const auto samples = calibration::sample([&](int repeats) { return timed(stream, watch, repeats, copy_once); }, {.budget_s = budget_s});
      Measurement out;
      out.metric = to_device ? "transfer.h2d" : "transfer.d2h";
      out.backend = "cuda";
      out.at = {{"bytes", bytes}, {"device", device}};
      out.time = samples.statistics();
      out.value = calibration::gb_per_s(bytes, out.time.median_s);
      out.unit = "gb_per_s";
      out.method = "probe cuda 1, pinned memory, copy engine, round trip verified";
      output.add(out);
    }
  }

  // Host to device is checked on the device, device to host by writing another pattern there and reading it here.
  static void verify(const Pinned& host, const Pinned& back, const Buffer& there, const Stream& stream, const std::string& what) {
    auto* words = static_cast<std::uint32_t*>(host.data());
    for (std::size_t i = 0; i < there.bytes() / 4; ++i) words[i] = static_cast<std::uint32_t>(i) * 2654435761u + 1;
    WrongCount wrong;
    check(cudaMemcpyAsync(there.data(), host.data(), there.bytes(), cudaMemcpyHostToDevice, stream.get()), "cudaMemcpyAsync");
    check(check_words(there.data(), there.bytes(), 1, wrong.on_device(), stream.get()), "check");
    wrong.must_be_zero(stream, what);
    check(fill_words(there.data(), there.bytes(), 2, stream.get()), "fill");
    check(cudaMemcpyAsync(back.data(), there.data(), there.bytes(), cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
    stream.wait();
    const auto* seen = static_cast<const std::uint32_t*>(back.data());
    std::size_t bad = 0;
    for (std::size_t i = 0; i < there.bytes() / 4; ++i) bad += seen[i] != static_cast<std::uint32_t>(i) * 2654435761u + 2;
    if (bad > 0) throw ProbeFailure(what + ": " + std::to_string(bad) + " wrong elements; no speed is reported");
  }
};

}  // namespace

std::unique_ptr<Probe> transfer_probe() { return std::make_unique<TransferProbe>(); }

}  // namespace steelyard::probes::cuda
