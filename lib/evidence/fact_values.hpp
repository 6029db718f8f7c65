// What an entry of facts holds, where it is of that kind.
#pragma once

#include <optional>
#include <steelyard/value.hpp>
#include <string>
#include <string_view>

namespace steelyard::evidence {

inline std::optional<double> number_of(const Value& facts, std::string_view key) {
  const Value* value = facts.find(key);
  return value && value->is_number() ? std::optional(value->as_number()) : std::nullopt;
}

/// Empty where there is no text.
inline std::string text_of(const Value& facts, std::string_view key) {
  const Value* value = facts.find(key);
  return value && value->is_string() ? value->as_string() : "";
}

}  // namespace steelyard::evidence
