// What answers about a book of rules have in common.
#pragma once

#include <optional>
#include <steelyard/requests.hpp>
#include <string>

#include "rules/rules.hpp"

namespace steelyard::rules {

/// Opens the book that an answer is about, and says in the answer whether it is sound; empty where it is not.
template <class Answer>
std::optional<Book> open_for(const std::string& name_or_folder, Answer& answer) {
  Loaded<Book> book = open_book(name_or_folder);
  answer.book = name_or_folder;
  answer.sound = book.value.has_value();
  answer.issues = std::move(book.issues);
  return std::move(book.value);
}

/// {"book", "sound", ..., "issues"}: the entries of an answer between those that all have.
template <class Answer>
Value answer_about(const Answer& answer, Value::Map entries) {
  Value value;
  value["book"] = answer.book;
  value["sound"] = answer.sound;
  for (Value::Entry& entry : entries) value[entry.first] = std::move(entry.second);
  const Value issues = to_value(answer.issues);
  value["issues"] = *issues.find("issues");
  return value;
}

}  // namespace steelyard::rules
