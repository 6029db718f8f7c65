#include "calibrate/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/statistics.hpp"

namespace steelyard::calibration {

namespace {

constexpr std::size_t kSettledBlocks = 3;
constexpr double kLeastBlock_s = 0.0005;  // some thousand times what a clock resolves

// One run of the sampler: counts the measured time that was spent.
class Run {
 public:
  Run(const std::function<double(int)>& timed, const SamplePlan& plan)
      : timed_(timed), plan_(plan), block_s_(std::min(plan.block_s, std::max(kLeastBlock_s, plan.budget_s / 10))) {}

  // Doubles the repeats until a block lasts long enough.
  void find_repeats() {
    for (;;) {
      const double seconds = block();
      const bool used_up = spent_ > plan_.warm_up_share * plan_.budget_s / 2;
      if (seconds >= block_s_ || used_up || samples.repeats >= plan_.most_repeats) return;
      const double wanted = seconds > 0 ? block_s_ / seconds : 16;
      samples.repeats = std::min<int>(plan_.most_repeats, static_cast<int>(samples.repeats * std::clamp(std::ceil(wanted * 1.1), 2.0, 16.0)));
    }
  }

  // Ends by its share of the time even before it can tell whether the times have settled.
  void warm_up() {
    std::vector<double> times;
    while (spent_ < plan_.warm_up_share * plan_.budget_s) {
      times.push_back(block() / samples.repeats);
      ++samples.warm_up_blocks;
      if (times.size() < kSettledBlocks) continue;
      samples.stable = settled(std::span(times).last(kSettledBlocks), plan_.settle);
      if (samples.stable) return;
    }
  }

  void measure(const std::function<bool()>& throttled) {
    while (static_cast<int>(samples.seconds.size()) < plan_.most_blocks) {
      if (spent_ >= plan_.budget_s && static_cast<int>(samples.seconds.size()) >= plan_.least_blocks) return;
      samples.seconds.push_back(block() / samples.repeats);
      if (throttled && throttled()) ++samples.throttled;
    }
  }

  Samples samples;

 private:
  double block() {
    const double seconds = timed_(samples.repeats);
    spent_ += seconds;
    return seconds;
  }

  const std::function<double(int)>& timed_;
  const SamplePlan& plan_;
  double block_s_;  // shorter than planned where the budget is short
  double spent_ = 0;
};

}  // namespace

TimeStatistics Samples::statistics() const {
  TimeStatistics out = summarise(seconds);
  out.stable = stable;
  out.throttled = throttled;
  return out;
}

Samples sample(const std::function<double(int)>& timed, const SamplePlan& plan, const std::function<bool()>& throttled) {
  Run run(timed, plan);
  run.find_repeats();
  run.warm_up();
  run.measure(throttled);
  return std::move(run.samples);
}

}  // namespace steelyard::calibration
