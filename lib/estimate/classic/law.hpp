// The time law of classic training. Formulas and sources: docs/reference/estimate-classic.md.
#pragma once

#include <span>
#include <vector>

#include "estimate/classic/job.hpp"
#include "estimate/offsets/offsets.hpp"

namespace steelyard::estimate {

/// Parameters of the law, in the order of `classic_parameters`; those by kind follow, three a kind.
struct ClassicLaw {
  double matrix_share = 0.4, plain_share = 0.8;            // of the peak, with and without matrix units
  double exchange = 0.5, network = 0.5;                    // time of the gradients' exchange that counts
  double full_precision_bytes = 1.7;                       // memory traffic of 32 bits against 16
  double memory[classic_kinds] = {1, 1, 1, 1, 1, 1};       // memory time against the usual share of the work
  double launch_ms[classic_kinds] = {5, 5, 1, 3, 10, 10};  // host and start-up of one pass
};

struct ClassicParameter {
  std::string name;
  double median, spread;
};
/// Names and priors, in the order of `classic_law`.
const std::vector<ClassicParameter>& classic_parameters();
ClassicLaw classic_law(std::span<const double> values);

/// Seconds of one GPU per unit (sample, token or frame).
struct ClassicTimes {
  double compute = 0, memory = 0, launch = 0, exchange = 0, total = 0;
};
ClassicTimes classic_times(const ClassicJob& job, const ClassicLaw& law);

}  // namespace steelyard::estimate
