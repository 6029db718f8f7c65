// The tests of `dcgmi diag`, from data/evidence/dcgm_tests.yaml.
#pragma once

#include <string>
#include <string_view>

namespace steelyard::evidence {

/// What a test looks at, by its name in any case: "gpu" or "software"; empty where `dcgmi diag` has no such test.
std::string dcgm_test_looks_at(std::string_view name);

}  // namespace steelyard::evidence
