#include "decide/4_cost/interruption.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::decide {

namespace {

// Beyond this a segment never ends in practice; the exponential stays a number that can be printed.
constexpr double largest_exponent = 100;

/// All in hours; failures come independently of each other, `mean` apart.
struct Machine {
  double mean, restart;

  // Expected time until a stretch of work gets done without a failure inside it (Daly 2006, equation 20).
  double stretch(double work) const {
    return mean * std::exp(std::min(restart / mean, largest_exponent)) * std::expm1(std::min(work / mean, largest_exponent));
  }
  // The same an hour of work, for stretches so short that none is repeated.
  double shortest() const { return std::exp(std::min(restart / mean, largest_exponent)); }
};

// Work between two checkpoints: sqrt(2 C M) to first order (Young 1974), M where writing takes longer than the machine lives (Daly 2006).
double best_interval_h(double checkpoint_h, double mean_h) { return checkpoint_h < 2 * mean_h ? std::sqrt(2 * checkpoint_h * mean_h) : mean_h; }

}  // namespace

std::optional<Interrupted> with_interruptions(double hours, double per_h, const Recovery& recovery) {
  if (per_h <= 0 || hours <= 0) return Interrupted{hours, 0, {}};
  if (!recovery.known()) return std::nullopt;
  const Machine machine{1 / per_h, *recovery.restart_s / 3600};
  const double whole = machine.stretch(hours);
  if (recovery.starts_over) return Interrupted{whole, whole * per_h, {}};
  const double checkpoint_h = *recovery.checkpoint_s / 3600;
  if (checkpoint_h <= 0) return Interrupted{hours * machine.shortest(), hours * machine.shortest() * per_h, {}};
  const double interval = best_interval_h(checkpoint_h, machine.mean);
  const double parts = hours / interval * machine.stretch(interval + checkpoint_h);
  if (interval >= hours || whole <= parts) return Interrupted{whole, whole * per_h, {}};
  return Interrupted{parts, parts * per_h, interval * 3600};
}

}  // namespace steelyard::decide
