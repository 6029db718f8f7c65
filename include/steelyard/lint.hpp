// Faults of price lists and of the project's own files, each at its line: figures that are wrong, probably wrong, or easily misread.
#pragma once

#include <steelyard/catalog.hpp>
#include <steelyard/date.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

/// `severity`: "error" (the figure is wrong or unusable), "warning" (probably wrong), "note" (right, but easily misread).
struct Finding {
  SourceLocation where;
  std::string code;  // "memory_unit" ...; "input" for a fault of a file of our own kinds
  std::string severity;
  std::string message;
  std::string fix;  // may be empty

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// Findings of one text, in the order of their lines. Price lists (SkyPilot with its metadata, gpuhunt, AWS, Azure) and, as YAML or JSON,
/// workloads, configurations, offers, boards, models. `name` is the file's name with its ending: it may hold the date of the prices.
/// Prices are old or not as seen from `today`.
std::vector<Finding> lint_text(std::string_view text, const std::string& name, const Date& today, const Catalog& facts);

/// "file:line:column: code: message".
std::string to_string(const Finding& finding);
Value to_value(const Finding& finding);

}  // namespace steelyard
