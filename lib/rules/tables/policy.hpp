// Hit policies of decision tables.
#pragma once

#include <optional>
#include <string_view>

#include "rules/language/datum.hpp"

namespace steelyard::rules {

enum class HitPolicy : unsigned char {
  unique,
  any,
  priority,
  first,
  rule_order,
  output_order,
  collect,
  collect_sum,
  collect_min,
  collect_max,
  collect_count,
  expression
};

/// "first" or "F"; `expression` has no name of its own.
std::optional<HitPolicy> parse_policy(std::string_view name);
std::string_view policy_name(HitPolicy policy);
/// Policies whose result is the list of all outputs.
bool gives_list(HitPolicy policy);

}  // namespace steelyard::rules
