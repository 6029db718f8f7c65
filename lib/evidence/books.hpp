// The books that evidence is judged by.
#pragma once

#include <steelyard/evidence.hpp>

#include "rules/rules.hpp"

namespace steelyard {

struct Evidence::Books {
  rules::Book reference;  // judging pastes and diagnosing
  rules::Book chosen;     // verifying and acceptance
};

}  // namespace steelyard
