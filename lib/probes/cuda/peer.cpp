// Copies between GPUs: which pairs have direct access, rate one way and both ways at once, latency.
#include <algorithm>

#include "calibrate/rates.hpp"
#include "calibrate/sampler.hpp"
#include "probes/cuda/kernels.hpp"
#include "probes/cuda/probes.hpp"

namespace steelyard::probes::cuda {

namespace {

bool enable_access(int from, int to) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, from, to), "cudaDeviceCanAccessPeer");
  if (!can) return false;
  use_device(from);
  const cudaError_t result = cudaDeviceEnablePeerAccess(to, 0);
  if (result == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
    return true;
  }
  check(result, "cudaDeviceEnablePeerAccess");
  return true;
}

// Buffers and streams on two GPUs.
class Pair {
 public:
  Pair(int from, int to, std::size_t bytes) : from_(from), to_(to), bytes_(bytes) {
    use_device(to);
    there_ = Buffer(bytes);
    there_second_ = Buffer(bytes);
    back_.emplace();
    use_device(from);
    here_ = Buffer(bytes);
    here_second_ = Buffer(bytes);
    out_.emplace();
    watch_.emplace();
  }

  void verify() {
    use_device(from_);
    check(fill_words(here_.data(), bytes_, 7, out_->get()), "fill");
    send(bytes_);
    out_->wait();
    use_device(to_);
    WrongCount wrong;
    check(check_words(there_.data(), bytes_, 7, wrong.on_device(), back_->get()), "check");
    wrong.must_be_zero(*back_, "copy from GPU " + std::to_string(from_) + " to GPU " + std::to_string(to_));
    use_device(from_);
  }

  void send(std::size_t bytes) { check(cudaMemcpyPeerAsync(there_.data(), to_, here_.data(), from_, bytes, out_->get()), "cudaMemcpyPeerAsync"); }

  double one_way(int repeats, std::size_t bytes) {
    use_device(from_);
    return timed(*out_, *watch_, repeats, [&] { send(bytes); });
  }

  // Both directions on two streams; the clock of the host, since no event spans two devices.
  double both_ways(int repeats) {
    const double start = clock_s();
    for (int i = 0; i < repeats; ++i) {
      send(bytes_);
      check(cudaMemcpyPeerAsync(here_second_.data(), from_, there_second_.data(), to_, bytes_, back_->get()), "cudaMemcpyPeerAsync");
    }
    out_->wait();
    back_->wait();
    return clock_s() - start;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  int from_, to_;
  std::size_t bytes_;
  Buffer here_, here_second_, there_, there_second_;
  std::optional<Stream> out_, back_;
  std::optional<Stopwatch> watch_;
};

class PeerProbe final : public GpuProbe {
 public:
  PeerProbe() : GpuProbe(2) {}
  std::string_view name() const override { return "cuda.peer"; }

  void run(const Request& request, Output& output) override {
    const int devices = find_devices().count;
    const double pairs = devices * (devices - 1);
    const double largest = request.budget_s / pairs < kShort_s ? 33554432.0 : 268435456.0;
    const auto bytes = static_cast<std::size_t>(std::min({largest, memory_of_device().free_bytes / 16, request.most_bytes})) / 4096 * 4096;
    int direct = 0;
    for (int from = 0; from < devices; ++from) {
      for (int to = 0; to < devices; ++to) {
        if (from == to) continue;
        const bool access = enable_access(from, to) && enable_access(to, from);
        direct += access;
        output.add(Reading{"peer_access", access ? "true" : "false", "to " + std::to_string(to), from});
        measure(from, to, bytes, access, request.budget_s / pairs, output);
      }
    }
    output.add(Reading{"peer_access_share", std::to_string(direct / pairs), "", {}});
  }

 private:
  static constexpr double kShort_s = 0.05;  // of a pair

  static void measure(int from, int to, std::size_t bytes, bool access, double budget_s, Output& output) {
    Pair pair(from, to, bytes);
    pair.verify();
    const calibration::SamplePlan plan{.budget_s = budget_s / 3};
    const std::string method = std::string("probe cuda 1, ") + (access ? "direct access" : "staged through the host") + ", verified";
    const auto add = [&](const char* metric, std::size_t size, double moved, const calibration::Samples& samples, bool latency) {
      Measurement out;
      out.metric = metric;
      out.backend = "cuda";
      out.at = {{"bytes", static_cast<double>(size)}, {"from", from}, {"to", to}};
      out.time = samples.statistics();
      out.value = latency ? out.time.median_s * 1e6 : calibration::gb_per_s(moved, out.time.median_s);
      out.unit = latency ? "us" : "gb_per_s";
      out.method = method;
      output.add(out);
    };
    const double size = static_cast<double>(bytes);
    add("peer.uni", bytes, size, calibration::sample([&](int repeats) { return pair.one_way(repeats, bytes); }, plan), false);
    add("peer.latency", 16, 16, calibration::sample([&](int repeats) { return pair.one_way(repeats, 16); }, plan), true);
    if (from < to) add("peer.bi", bytes, 2 * size, calibration::sample([&](int repeats) { return pair.both_ways(repeats); }, plan), false);
  }
};

}  // namespace

std::unique_ptr<Probe> peer_probe() { return std::make_unique<PeerProbe>(); }

}  // namespace steelyard::probes::cuda
