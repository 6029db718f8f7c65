#include "rules/tables/policy.hpp"

#include <utility>

namespace steelyard::rules {

namespace {

struct Name {
  HitPolicy policy;
  std::string_view name, letter;
};

constexpr Name names[] = {
    {HitPolicy::unique, "unique", "U"},
    {HitPolicy::any, "any", "A"},
    {HitPolicy::priority, "priority", "P"},
    {HitPolicy::first, "first", "F"},
    {HitPolicy::rule_order, "rule_order", "R"},
    {HitPolicy::output_order, "output_order", "O"},
    {HitPolicy::collect, "collect", "C"},
    {HitPolicy::collect_sum, "collect_sum", "C+"},
    {HitPolicy::collect_min, "collect_min", "C<"},
    {HitPolicy::collect_max, "collect_max", "C>"},
    {HitPolicy::collect_count, "collect_count", "C#"},
};

}  // namespace

std::optional<HitPolicy> parse_policy(std::string_view name) {
  for (const Name& entry : names) {
    if (entry.name == name || entry.letter == name) return entry.policy;
  }
  return std::nullopt;
}

std::string_view policy_name(HitPolicy policy) {
  for (const Name& entry : names) {
    if (entry.policy == policy) return entry.name;
  }
  return "expression";
}

bool gives_list(HitPolicy policy) { return policy == HitPolicy::rule_order || policy == HitPolicy::output_order || policy == HitPolicy::collect; }

}  // namespace steelyard::rules
