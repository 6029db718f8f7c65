// Turns a timed operation into samples: warm-up until the times have settled, then blocks until the time is used up.
#pragma once

#include <functional>
#include <steelyard/calibrate.hpp>
#include <vector>

namespace steelyard::calibration {

/// How much time a point gets and how it is spent. Defaults follow docs/reference/calibration.md, "Method".
struct SamplePlan {
  double budget_s = 0.5;       // measured time of this point, warm-up included
  double block_s = 0.005;      // a block repeats the operation until it lasts about this long, so that the clock's resolution vanishes
  double settle = 0.03;        // three warm-up blocks in a row within this share of each other: warm
  double warm_up_share = 0.4;  // of the budget, at most
  int least_blocks = 5;        // even when the budget is used up
  int most_blocks = 60;
  int most_repeats = 1 << 20;
};

/// What came out.
struct Samples {
  std::vector<double> seconds;  // of one operation, one entry a block
  int warm_up_blocks = 0;
  int repeats = 1;      // operations a block
  bool stable = false;  // the warm-up ended because the times had settled
  int throttled = 0;    // blocks during which `throttled` said so

  TimeStatistics statistics() const;
};

/// `timed(repeats)` runs the operation that often and gives the seconds that all of them took together. Ranks that measure together must
/// return one figure, then all of them decide alike. `throttled` (may be empty) is asked after each block.
Samples sample(const std::function<double(int repeats)>& timed, const SamplePlan& plan, const std::function<bool()>& throttled = {});

}  // namespace steelyard::calibration
