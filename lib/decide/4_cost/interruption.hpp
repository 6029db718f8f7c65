// How long a job takes where its machines are taken back now and then. The model: docs/reference/cost.md.
#pragma once

#include <optional>

namespace steelyard::decide {

/// What an interruption costs a job. Empty = not known.
struct Recovery {
  std::optional<double> checkpoint_s;  // to write one; 0: the job keeps no state between requests
  std::optional<double> restart_s;     // paid time until the job goes on
  bool starts_over = false;            // no checkpoints: an interruption loses all work

  bool known() const { return restart_s && (starts_over || checkpoint_s); }
};

struct Interrupted {
  double elapsed_h = 0;                      // expected
  double interruptions = 0;                  // expected, within `elapsed_h`
  std::optional<double> checkpoint_every_s;  // of work between two checkpoints; empty: none are written
};

/// `hours` of work under `per_h` interruptions an hour of the whole cluster, with the interval between checkpoints that loses the least.
/// Empty where the recovery is not known and it matters.
std::optional<Interrupted> with_interruptions(double hours, double per_h, const Recovery& recovery);

}  // namespace steelyard::decide
