#include <algorithm>
#include <steelyard/issue.hpp>

#include "core/printable.hpp"

namespace steelyard {

std::string to_string(const SourceLocation& where) {
  std::string text = where.file;
  if (where.line > 0) text += ":" + std::to_string(where.line);
  if (where.line > 0 && where.column > 0) text += ":" + std::to_string(where.column);
  return text;
}

namespace {

// Cells in front of the column. Columns count bytes.
std::size_t marker_at(const Issue& issue) {
  const auto before = static_cast<std::size_t>(issue.where.column - 1);
  const std::size_t inside = std::min(before, issue.excerpt.size());
  return display_width(printable(std::string_view(issue.excerpt).substr(0, inside))) + before - inside;
}

}  // namespace

std::string to_string(const Issue& issue) {
  std::string text = printable(to_string(issue.where));
  if (!text.empty()) text += ": ";
  if (issue.severity == Severity::warning) text += "warning: ";
  text += printable(issue.message);
  if (!issue.excerpt.empty()) {
    text += "\n | " + printable(issue.excerpt);
    if (issue.where.column > 0) text += "\n | " + std::string(marker_at(issue), '.') + "^";
  }
  if (!issue.fix.empty()) text += "\nfix: " + printable(issue.fix);
  return text;
}

bool has_errors(const Issues& issues) {
  return std::any_of(issues.begin(), issues.end(), [](const Issue& issue) { return issue.severity == Severity::error; });
}

namespace {

// A reader mends the first faults and asks again; a file of another kind has one in every line.
constexpr std::size_t most_told = 100;

std::string all_texts(const Issues& issues) {
  std::string text;
  for (std::size_t index = 0; index < std::min(issues.size(), most_told); ++index) {
    if (!text.empty()) text += "\n";
    text += to_string(issues[index]);
  }
  if (issues.size() > most_told)
    text += "\n" + std::to_string(issues.size()) + " faults in all; the first " + std::to_string(most_told) + " are shown";
  return text.empty() ? "bad input" : text;
}

}  // namespace

LoadError::LoadError(Issues issues) : std::runtime_error(all_texts(issues)), issues_(std::move(issues)) {}

}  // namespace steelyard
