#include "probes/collectives.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/rates.hpp"
#include "calibrate/sampler.hpp"
#include "core/text.hpp"

namespace steelyard::probes {

namespace {

using calibration::collective_kinds;
using calibration::SamplePlan;

constexpr double kLeastBytes = 8;
constexpr int kLeastPoints = 6;
constexpr int kMostPoints = 32;        // 8 B to 8 GiB by doubling
constexpr double kSecondsEach = 0.04;  // of a point, so that a short budget thins the sizes instead of the samples

void check_data(CollectiveEngine& engine, const std::string& kind, double bytes) {
  const double wrong = engine.wrong();
  if (wrong <= 0) return;
  throw ProbeFailure(kind + " of " + format_number(bytes) + " bytes over " + std::to_string(engine.ranks()) + " ranks: " + format_number(wrong) +
                     " wrong elements; no speed is reported");
}

double least_of_all(CollectiveEngine& engine, double value) { return -engine.agreed(-value); }

Measurement point_of(CollectiveEngine& engine, const std::string& kind, double bytes, const calibration::Samples& samples) {
  Measurement out;
  out.metric = "collective." + kind;
  out.backend = engine.backend();
  out.at = {{"bytes", bytes}, {"ranks", engine.ranks()}, {"nodes", engine.nodes()}};
  out.time = samples.statistics();
  out.value = calibration::bus_gb_per_s(kind, engine.ranks(), bytes, out.time.median_s);
  out.unit = "gb_per_s";
  out.method = engine.method();
  return out;
}

// What a larger size will take at least, from the last one: its checks and a few runs grow with the bytes.
struct Expectation {
  double bytes = 0, checks_s = 0, run_s = 0;
  double seconds(double larger) const {
    // Below a MiB a slow check is a hiccup of the machine.
    return bytes < 1 << 20 ? 0 : (checks_s + 6 * run_s) * larger / bytes;
  }
};

// One kind over its sizes, smallest first. Every figure that decides how to go on is the same on all ranks.
class KindRun {
 public:
  KindRun(CollectiveEngine& engine, const std::string& kind, double budget_s, double most_bytes)
      : engine_(engine), kind_(kind), budget_s_(budget_s), most_bytes_(most_bytes), sizes_(ladder(points_for(kSecondsEach))) {}

  void run(Output& output) {
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const double bytes = even_bytes(sizes_[i], engine_.ranks());
      if (expected_.seconds(bytes) > budget_s_ - spent_s_) return;
      measure(bytes, (budget_s_ - spent_s_) / static_cast<double>(sizes_.size() - i), output);
      // The first point tells what a point costs at least: over a far link one takes longer than a plan for near ones allows.
      if (i == 0 && spent_s_ > kSecondsEach) sizes_ = ladder(points_for(spent_s_));
    }
  }

 private:
  int points_for(double seconds_each) const { return calibration::points_for(budget_s_, seconds_each, kLeastPoints, kMostPoints); }
  std::vector<double> ladder(int points) const { return calibration::size_ladder(std::max(kLeastBytes, 4.0 * engine_.ranks()), most_bytes_, points); }

  void measure(double bytes, double budget_s, Output& output) {
    const double start = engine_.clock_s();
    engine_.prepare(kind_, bytes);
    check_data(engine_, kind_, bytes);
    const double checks_s = engine_.agreed(engine_.clock_s() - start);
    SamplePlan plan;
    plan.budget_s = std::max(0.002, budget_s * timed_share_);
    plan.block_s = std::min(plan.block_s, plan.budget_s / 10);
    plan.least_blocks = 3;
    const double sampling = engine_.clock_s();
    const auto samples = calibration::sample([&](int repeats) { return engine_.timed(repeats); }, plan);
    set_timed_share(samples, engine_.agreed(engine_.clock_s() - sampling));
    output.add(point_of(engine_, kind_, bytes, samples));
    spent_s_ += engine_.agreed(engine_.clock_s() - start);
    expected_ = {bytes, checks_s, samples.statistics().min_s};
  }

  // Between the blocks the ranks meet and agree, which over a far link takes longer than a block.
  void set_timed_share(const calibration::Samples& samples, double all_s) {
    const double blocks = samples.warm_up_blocks + static_cast<double>(samples.seconds.size());
    const double timed_s = samples.statistics().median_s * samples.repeats * blocks;
    timed_share_ = all_s > 0 ? std::clamp(timed_s / all_s, 0.05, 0.9) : timed_share_;
  }

  CollectiveEngine& engine_;
  std::string kind_;
  double budget_s_, most_bytes_, spent_s_ = 0;
  std::vector<double> sizes_;
  double timed_share_ = 0.5;  // of the time of sampling
  Expectation expected_;
};

}  // namespace

double even_bytes(double bytes, int ranks) {
  const double part = 4.0 * ranks;
  return std::max(1.0, std::floor(bytes / part)) * part;
}

void measure_collectives(CollectiveEngine& engine, const Request& request, Output& output) {
  // Ranks come here with what time each has left; sizes follow from it and must be the same everywhere.
  const double budget_s = least_of_all(engine, request.budget_s) / static_cast<double>(collective_kinds().size());
  const double most_bytes = least_of_all(engine, std::min(request.most_bytes, engine.most_bytes()));
  for (const std::string& kind : collective_kinds()) KindRun(engine, kind, budget_s, most_bytes).run(output);
}

}  // namespace steelyard::probes
