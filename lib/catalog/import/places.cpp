#include "catalog/import/places.hpp"

#include <array>
#include <cctype>

#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

bool all_digits(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

/// "use1" -> "us-east-1": how AWS shortens regions in the ids of its zones.
std::string aws_region(std::string_view code) {
  static constexpr std::array<std::pair<const char*, const char*>, 9> sides = {{{"ne", "northeast"},
                                                                                {"nw", "northwest"},
                                                                                {"se", "southeast"},
                                                                                {"sw", "southwest"},
                                                                                {"n", "north"},
                                                                                {"s", "south"},
                                                                                {"e", "east"},
                                                                                {"w", "west"},
                                                                                {"c", "central"}}};
  if (code.size() < 4) return {};
  const std::string_view rest = code.substr(2);
  for (const auto& [shortened, side] : sides) {
    const std::string_view prefix(shortened);
    if (rest.starts_with(prefix) && all_digits(rest.substr(prefix.size()))) {
      return std::string(code.substr(0, 2)) + "-" + side + "-" + std::string(rest.substr(prefix.size()));
    }
  }
  return {};
}

}  // namespace

std::string region_of_place(std::string_view place) {
  const std::vector<std::string> words = split(place, '-');
  const std::string& last = words.back();
  if (words.size() >= 2 && last.starts_with("az") && all_digits(std::string_view(last).substr(2))) {
    const std::string region = aws_region(words.front());
    return region.empty() ? std::string(place) : region;
  }
  if (words.size() >= 3 && to_lower(words[words.size() - 2]) == "ad" && all_digits(last))
    return to_lower(place.substr(0, place.size() - last.size() - 4));
  if (words.size() >= 3 && last.size() == 1 && std::isalpha(static_cast<unsigned char>(last[0])))
    return std::string(place.substr(0, place.size() - 2));
  const bool zone_letter =
      words.size() >= 3 && last.size() == 2 && std::isdigit(static_cast<unsigned char>(last[0])) && std::islower(static_cast<unsigned char>(last[1]));
  return std::string(zone_letter ? place.substr(0, place.size() - 1) : place);
}

}  // namespace steelyard::catalog
