// An outcome in the form of the public headers.
#pragma once

#include <steelyard/rule_book.hpp>

#include "rules/rules.hpp"

namespace steelyard::rules {

inline RuleOutcome public_outcome(const Outcome& found) {
  RuleOutcome outcome{found.decision, std::string(to_string(found.status)), found.output, {}, found.unknown, found.error};
  for (const Hit& hit : found.hits) outcome.hits.push_back({hit.rule, hit.because, hit.where, hit.inputs, hit.output});
  return outcome;
}

}  // namespace steelyard::rules
