// Copy and triad over arrays past the last cache, all threads pinned, as STREAM does; memory latency by a chase of pointers.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "calibrate/rates.hpp"
#include "calibrate/sampler.hpp"
#include "core/text.hpp"
#include "probes/host/kernels.hpp"
#include "probes/host/probes.hpp"
#include "probes/host/system.hpp"
#include "probes/host/threads.hpp"

namespace steelyard::probes {

namespace {

constexpr double kScalar = 3;

// Three arrays in a row, as STREAM has them, each cut into one part a thread; each part is first touched by its thread.
class StreamArrays {
 public:
  StreamArrays(Team& team, std::size_t count)
      : team_(team), count_(count), all_(new double[3 * count]), a_(all_.get()), b_(a_ + count), c_(b_ + count) {
    team_.run([&](int thread) {
      const auto [first, last] = part(thread);
      std::fill(a_ + first, a_ + last, 0.0);
      for (std::size_t i = first; i < last; ++i) b_[i] = value(i), c_[i] = 1 + value(i);
    });
  }

  double pass(const std::string& kind, int repeats) {
    const bool triad_wanted = kind == "triad";
    return team_.run([&](int thread) {
      const auto [first, last] = part(thread);
      for (int i = 0; i < repeats; ++i) {
        if (triad_wanted) {
          triad(a_ + first, b_ + first, c_ + first, kScalar, last - first);
        } else {
          copy(a_ + first, b_ + first, last - first);
        }
      }
    });
  }

  // Elements of `a` that are not what the pass must have made.
  double wrong(const std::string& kind) const {
    double count = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double expected = kind == "triad" ? value(i) + kScalar * (1 + value(i)) : value(i);
      if (a_[i] != expected) ++count;
    }
    return count;
  }

 private:
  static double value(std::size_t index) { return static_cast<double>(index % 1021); }
  std::pair<std::size_t, std::size_t> part(int thread) const {
    const auto size = static_cast<std::size_t>(team_.size()), at = static_cast<std::size_t>(thread);
    return {count_ * at / size, count_ * (at + 1) / size};
  }

  Team& team_;
  std::size_t count_;
  std::unique_ptr<double[]> all_;
  double *a_, *b_, *c_;
};

Measurement stream_point(const std::string& kind, double bytes, const Team& team, const calibration::Samples& samples) {
  Measurement out;
  out.metric = "memory." + kind;
  out.backend = "host";
  out.at = {{"bytes", bytes}, {"threads", team.size()}};
  out.time = samples.statistics();
  out.value = calibration::gb_per_s(*calibration::stream_bytes(kind, bytes), out.time.median_s);
  out.unit = "gb_per_s";
  out.method = std::string("probe host 1, double, every element verified, threads ") + (team.pinned() ? "pinned" : "not pinned");
  return out;
}

class MemoryProbe final : public Probe {
 public:
  std::string_view name() const override { return "host.memory"; }
  std::optional<std::string> why_unavailable() const override { return std::nullopt; }

  void run(const Request& request, Output& output) override {
    Team team(allowed_processors());
    const auto sizes = array_sizes(request);
    for (const double bytes : sizes) {
      StreamArrays arrays(team, static_cast<std::size_t>(bytes) / sizeof(double));
      for (const std::string kind : {"copy", "triad"}) {
        arrays.pass(kind, 1);
        if (const double wrong = arrays.wrong(kind); wrong > 0) {
          throw ProbeFailure(kind + " of " + format_number(bytes) + " bytes: " + format_number(wrong) + " wrong elements; no speed is reported");
        }
        const calibration::SamplePlan plan{.budget_s = request.budget_s / (2 * static_cast<double>(sizes.size())), .block_s = 0.02};
        output.add(stream_point(kind, bytes, team, calibration::sample([&](int repeats) { return arrays.pass(kind, repeats); }, plan)));
      }
    }
  }

 private:
  static constexpr double kShort_s = 1.5;  // below it the smaller arrays say what there is to say

  // Two and four times the last caches together, three arrays within a quarter of the memory that is free.
  static std::vector<double> array_sizes(const Request& request) {
    const double room = std::min(available_bytes().value_or(4e9) / 4 / 3, request.most_bytes);
    std::vector<double> out;
    for (const double times : {2.0, 4.0}) {
      if (times > 2 && request.budget_s < kShort_s) break;
      const double bytes = std::floor(std::min(room, std::max(last_cache_bytes() * times, 64 * 1048576.0)) / 4096) * 4096;
      if (out.empty() || bytes > out.back()) out.push_back(bytes);
    }
    return out;
  }
};

// A random cycle through a buffer: each load waits for the one before.
class LatencyProbe final : public Probe {
 public:
  std::string_view name() const override { return "host.latency"; }
  std::optional<std::string> why_unavailable() const override { return std::nullopt; }

  void run(const Request& request, Output& output) override {
    pin_to(allowed_processors().front());
    constexpr std::size_t kStride = 16;  // one pointer a cache line of two neighbours: 128 bytes
    const double bytes = std::min(std::max(4 * last_cache_bytes(), 64 * 1048576.0), available_bytes().value_or(4e9) / 8);
    const auto count = static_cast<std::size_t>(bytes) / (kStride * sizeof(std::size_t));
    std::vector<std::size_t> chain(count * kStride);
    fill(chain, count, kStride);
    std::size_t place = 0;
    const auto timed = [&](int repeats) {
      const double start = now_s();
      for (int i = 0; i < repeats * kLoads; ++i) place = chain[place];
      return now_s() - start;
    };
    auto samples = calibration::sample(timed, {.budget_s = request.budget_s});
    if (place >= chain.size()) throw ProbeFailure("the chase left its buffer");
    for (double& seconds : samples.seconds) seconds /= kLoads;
    Measurement out;
    out.metric = "memory.latency";
    out.backend = "host";
    out.at = {{"bytes", bytes}};
    out.time = samples.statistics();
    out.value = out.time.median_s * 1e6;
    out.unit = "us";
    out.method = "probe host 1, chase of pointers in random order";
    output.add(out);
  }

 private:
  static constexpr int kLoads = 1000;

  // Sattolo's shuffle gives one cycle through all elements.
  static void fill(std::vector<std::size_t>& chain, std::size_t count, std::size_t stride) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::uint64_t state = 88172645463325252ull;
    for (std::size_t i = count - 1; i > 0; --i) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      std::swap(order[i], order[state % i]);
    }
    for (std::size_t i = 0; i < count; ++i) chain[order[i] * stride] = order[(i + 1) % count] * stride;
  }
};

}  // namespace

std::unique_ptr<Probe> host_memory_probe() { return std::make_unique<MemoryProbe>(); }
std::unique_ptr<Probe> host_latency_probe() { return std::make_unique<LatencyProbe>(); }

}  // namespace steelyard::probes
