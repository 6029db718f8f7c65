#include "catalog/import/dates.hpp"

#include <string>

namespace steelyard::catalog {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<Date> date_from(std::string_view text, bool separated) {
  const std::size_t gap = separated ? 1 : 0, size = 8 + 2 * gap;
  if (text.size() < size) return std::nullopt;
  if (separated && (text[4] != text[7] || std::string_view("-_.").find(text[4]) == std::string_view::npos)) return std::nullopt;
  if (text.size() > size && is_digit(text[size])) return std::nullopt;
  const std::string iso =
      std::string(text.substr(0, 4)) + "-" + std::string(text.substr(4 + gap, 2)) + "-" + std::string(text.substr(6 + 2 * gap, 2));
  const auto date = parse_date(iso);
  return date && date->year >= 2000 && date->year < 2100 ? date : std::nullopt;
}

}  // namespace

std::optional<Date> date_in_name(std::string_view name) {
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!is_digit(name[at]) || (at > 0 && is_digit(name[at - 1]))) continue;
    for (const bool separated : {true, false}) {
      if (const auto date = date_from(name.substr(at), separated)) return date;
    }
  }
  return std::nullopt;
}

}  // namespace steelyard::catalog
