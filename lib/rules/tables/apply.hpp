// Runs one decision: which rules apply, which may apply, and what the hit policy makes of them.
#pragma once

#include <vector>

#include "rules/book.hpp"

namespace steelyard::rules {

/// What a decision came to. `yes`: rules that count (for FIRST only the first), in the order of their outputs; `maybe`: rules that unknown facts keep
/// open.
struct Result {
  Status status = Status::failed;
  std::vector<int> yes, maybe;
  Datum output;                 // decided: the value; undetermined: unknown with the facts; no_hit: null; failed: the error
  std::vector<Datum> why_open;  // of each rule of `maybe`: unknown, with the facts that keep it open
};

/// true, false, unknown, or an error.
Datum rule_truth(const RuleData& rule, Frame& frame);
void apply(const DecisionData& decision, Frame& frame, Result& result);

}  // namespace steelyard::rules
