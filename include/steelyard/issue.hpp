// Faults of an input: collected, not thrown, so that a user sees all of them at once.
#pragma once

#include <optional>
#include <stdexcept>
#include <steelyard/source_location.hpp>
#include <string>
#include <vector>

namespace steelyard {

enum class Severity { error, warning };

/// One fault: where, what was found and expected, and what to do.
struct Issue {
  Severity severity = Severity::error;
  SourceLocation where;
  std::string message;  // "memory_gib: expected a number, got '80 GB'"
  std::string fix;      // "write 80; the unit is part of the key"; may be empty
  std::string excerpt;  // the offending line of the text; may be empty

  friend bool operator==(const Issue&, const Issue&) = default;
};

using Issues = std::vector<Issue>;

/// "file:line:column: message", the excerpt with a marker below it, and the fix; no trailing newline.
std::string to_string(const Issue& issue);

/// True where at least one issue is an error.
bool has_errors(const Issues& issues);

/// A value read from a text, or the reasons why there is none. A value may come with warnings.
template <class T>
struct Loaded {
  std::optional<T> value;
  Issues issues;

  explicit operator bool() const { return value.has_value(); }
};

/// Bad input, for callers who want an exception; carries all issues.
class LoadError : public std::runtime_error {
 public:
  explicit LoadError(Issues issues);
  const Issues& issues() const { return issues_; }

 private:
  Issues issues_;
};

/// The value, or LoadError with all issues.
template <class T>
T value_or_throw(Loaded<T> loaded) {
  if (!loaded.value) throw LoadError(std::move(loaded.issues));
  return std::move(*loaded.value);
}

}  // namespace steelyard
