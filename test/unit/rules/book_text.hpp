// Books from texts, for tests.
#pragma once

#include <string>

#include "rules/rules.hpp"

namespace steelyard::rules {

/// The issues of a book that holds one file, one below the other; "" where it has none.
inline Loaded<Book> book_of(const std::string& text, const std::string& file = "rules/test/2_network/x.yaml") {
  auto document = load::parse_document(text, file);
  if (!document) return {std::nullopt, document.issues};
  return load_book("test", {*document.value});
}

inline std::string issues_of(const Issues& issues) {
  std::string text;
  for (const Issue& issue : issues) text += to_string(issue) + "\n";
  return text;
}

inline std::string first_issue(const std::string& text) {
  const auto book = book_of(text);
  return book.issues.empty() ? std::string() : to_string(book.issues.front());
}

}  // namespace steelyard::rules
