// `lint: {allow: [code], why: text}` of a decision, a rule or a fact: a finding that is meant to be.
#pragma once

#include <steelyard/source_location.hpp>
#include <string>
#include <vector>

#include "load/fields.hpp"

namespace steelyard::rules {

struct Allowance {
  std::vector<std::string> codes;
  std::string why;
  SourceLocation where;

  bool holds(const std::string& code) const;
};

/// Reads the key `lint` where it is there. Unknown codes and a missing reason are issues.
Allowance read_allowance(load::Fields& fields);

}  // namespace steelyard::rules
