#include <algorithm>
#include <steelyard/issue.hpp>

namespace steelyard {

std::string to_string(const SourceLocation& where) {
  std::string text = where.file;
  if (where.line > 0) text += ":" + std::to_string(where.line);
  if (where.line > 0 && where.column > 0) text += ":" + std::to_string(where.column);
  return text;
}

std::string to_string(const Issue& issue) {
  std::string text = to_string(issue.where);
  if (!text.empty()) text += ": ";
  if (issue.severity == Severity::warning) text += "warning: ";
  text += issue.message;
  if (!issue.excerpt.empty()) {
    text += "\n | " + issue.excerpt;
    if (issue.where.column > 0) text += "\n | " + std::string(static_cast<std::size_t>(issue.where.column - 1), '.') + "^";
  }
  if (!issue.fix.empty()) text += "\nfix: " + issue.fix;
  return text;
}

bool has_errors(const Issues& issues) {
  return std::any_of(issues.begin(), issues.end(), [](const Issue& issue) { return issue.severity == Severity::error; });
}

namespace {

std::string all_texts(const Issues& issues) {
  std::string text;
  for (const Issue& issue : issues) {
    if (!text.empty()) text += "\n";
    text += to_string(issue);
  }
  return text.empty() ? "bad input" : text;
}

}  // namespace

LoadError::LoadError(Issues issues) : std::runtime_error(all_texts(issues)), issues_(std::move(issues)) {}

}  // namespace steelyard
