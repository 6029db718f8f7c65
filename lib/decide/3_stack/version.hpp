// Versions of drivers, toolkits and packages as numbers that order right.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::stack {

/// Up to three whole parts; "525.60.13", "12.4", "2.9.0a0" (what follows the digits is dropped).
struct Version {
  std::vector<int> parts;  // at least one

  /// major + minor / 1e3 + patch / 1e6: 525.60.13 is 525.060013, 12.4 is 12.004. This is the form in which rules see versions.
  double number() const;
  /// The largest number that begins with the given parts: for "535" every release of the branch.
  double upper() const;
  int first() const { return parts[0]; }
  /// Major and minor alone: 12.4.1 -> 12.004.
  double minor_number() const;
  std::string text() const;

  friend auto operator<=>(const Version&, const Version&) = default;
};

/// The version at the start of a text (a leading "v" is allowed); empty where there is none.
std::optional<Version> parse_version(std::string_view text);
/// The same only if nothing but digits and points is there.
std::optional<Version> parse_exact_version(std::string_view text);
/// "cu121" -> 12.1, "cu92" -> 9.2; empty for anything else.
std::optional<Version> parse_variant(std::string_view text);  /// Number back to text without leading zeros: 12.004 -> "12.4". Drivers keep the text
                                                              /// of their source, since 525.85.05 is written so.
std::string version_text(double number);

}  // namespace steelyard::stack
