#include "rules/lint/codes.hpp"

namespace steelyard::rules {

namespace {

struct Code {
  std::string_view name, severity;
};

constexpr Code codes[] = {
    {"gap", "error"},
    {"overlap", "error"},
    {"contradiction", "error"},
    {"off_by_one", "error"},
    {"shadowed", "warning"},
    {"duplicate", "warning"},
    {"always_false", "warning"},
    {"always_true", "warning"},
    {"unreachable_default", "warning"},
    {"unreachable_decision", "warning"},
    {"unused_decision", "warning"},
    {"unused_output", "warning"},
    {"unused_input", "warning"},
    {"unused_fact", "warning"},
    {"missing_unit", "warning"},
    {"unused_allowance", "warning"},
};

}  // namespace

std::optional<std::string_view> severity_of(std::string_view code) {
  for (const Code& one : codes) {
    if (one.name == code) return one.severity;
  }
  return std::nullopt;
}

std::vector<std::string> lint_codes() {
  std::vector<std::string> names;
  for (const Code& one : codes) names.emplace_back(one.name);
  return names;
}

}  // namespace steelyard::rules
