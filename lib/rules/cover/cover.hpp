// Which rules, outcomes and ends of intervals the test rows beside the tables reach.
#pragma once

#include <steelyard/rules.hpp>
#include <vector>

#include "rules/rules.hpp"

namespace steelyard::rules {

struct CoverReport {
  CoverCount rules, outcomes, ends;
  std::vector<Uncovered> uncovered;  // in the order of files and lines
  int failed_rows = 0;               // rows that do not hold cover nothing
};

CoverReport cover(const Book& book);

}  // namespace steelyard::rules
