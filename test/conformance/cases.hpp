// What the parts of the conformance program share.
#pragma once

#include <steelyard/value.hpp>
#include <string>
#include <vector>

namespace steelyard::conformance {

struct Verdict {
  std::string id, profile, result, detail;  // result: pass, fail, skip
};

Verdict run_cel(const Value& one_case);
/// All cases of one DMN model.
std::vector<Verdict> run_dmn(const Value& file);
Verdict skip_feel(const Value& one_case);

}  // namespace steelyard::conformance
