#include "decide/3_stack/version.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace steelyard::stack {

namespace {

constexpr std::size_t most_parts = 3;
constexpr int most_in_a_part = 999;  // what three decimal places hold; patch numbers of drivers have at most three digits

double as_number(const std::vector<int>& parts, int missing) {
  double sum = 0;
  for (std::size_t i = 0; i < most_parts; ++i) sum = sum * 1000 + (i < parts.size() ? parts[i] : missing);
  return sum / 1e6;  // one rounding: equal to the decimal written in a rule
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

double Version::number() const { return as_number(parts, 0); }
double Version::upper() const { return as_number(parts, most_in_a_part); }
double Version::minor_number() const { return as_number({parts[0], parts.size() > 1 ? parts[1] : 0}, 0); }

std::string Version::text() const {
  std::string words;
  for (const int part : parts) words += (words.empty() ? "" : ".") + std::to_string(part);
  return words;
}

std::optional<Version> parse_version(std::string_view text) {
  text = trim(text);
  if (!text.empty() && (text[0] == 'v' || text[0] == 'V' || text[0] == 'R' || text[0] == 'r')) text.remove_prefix(1);
  Version version;
  while (!text.empty() && is_digit(text[0]) && version.parts.size() < most_parts) {
    int part = 0;
    while (!text.empty() && is_digit(text[0])) {
      part = std::min(part * 10 + (text[0] - '0'), version.parts.empty() ? 99'999 : most_in_a_part);
      text.remove_prefix(1);
    }
    version.parts.push_back(part);
    if (text.size() < 2 || text[0] != '.' || !is_digit(text[1])) break;
    text.remove_prefix(1);
  }
  if (version.parts.empty()) return std::nullopt;
  return version;
}

std::optional<Version> parse_exact_version(std::string_view text) {
  text = trim(text);
  const bool plain = !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
  return plain ? parse_version(text) : std::nullopt;
}

std::optional<Version> parse_variant(std::string_view text) {
  if (text.size() < 4 || text.size() > 6 || text.substr(0, 2) != "cu") return std::nullopt;
  const auto digits = parse_integer(text.substr(2));
  if (!digits || *digits < 10) return std::nullopt;
  return Version{{static_cast<int>(*digits / 10), static_cast<int>(*digits % 10)}};
}

std::string version_text(double number) {
  const auto scaled = static_cast<long long>(std::llround(number * 1e6));
  Version version{{static_cast<int>(scaled / 1'000'000), static_cast<int>(scaled / 1000 % 1000)}};
  if (scaled % 1000) version.parts.push_back(static_cast<int>(scaled % 1000));
  return version.text();
}

}  // namespace steelyard::stack
