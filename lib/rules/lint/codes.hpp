// The codes of findings in rule books; docs/reference/rules_lint.md describes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::rules {

/// "error": the table gives no or two answers. "warning": probably not what was meant. Empty where there is no such code.
std::optional<std::string_view> severity_of(std::string_view code);
std::vector<std::string> lint_codes();

}  // namespace steelyard::rules
