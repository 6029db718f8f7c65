// Text -> double as CEL reads it: what is too small to represent is 0, what is too large is no number.
#pragma once

#include <algorithm>
#include <charconv>
#include <string_view>

namespace steelyard::rules {

/// True where the whole text is a number.
inline bool read_real(std::string_view text, double& value) {
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (last != end || error == std::errc::invalid_argument) return false;
  if (error == std::errc{}) return true;
  const auto exponent = std::find_if(text.begin(), text.end(), [](char c) { return c == 'e' || c == 'E'; });
  const bool tiny = exponent == text.end() ? text.starts_with("0.") : exponent + 1 != text.end() && exponent[1] == '-';
  value = 0;
  return tiny;
}

}  // namespace steelyard::rules
