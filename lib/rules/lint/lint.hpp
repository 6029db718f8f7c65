// Static analysis of a rule book: what no test row needs to be run for.
#pragma once

#include <steelyard/rules.hpp>
#include <vector>

#include "rules/rules.hpp"

namespace steelyard::rules {

struct LintReport {
  std::vector<RuleFinding> findings;  // in the order of files and lines
  int allowed = 0;                    // findings that the book says are meant to be
  int rules = 0;
  int partly = 0;                     // rules with conditions that are not analysed: such a rule may apply anywhere
  std::vector<std::string> given_up;  // decisions whose analysis would take too long
};

LintReport lint(const Book& book);

}  // namespace steelyard::rules
