// Entries of a Value from what may be missing: three ways to write a field, each under one name.
#pragma once

#include <optional>
#include <steelyard/source_location.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

inline Value list_of_texts(const std::vector<std::string>& texts) {
  Value list = Value::list();
  for (const std::string& text : texts) list.push_back(text);
  return list;
}

/// The figure, or null where it is not known: for answers, whose keys are always there.
template <class T>
Value known(const std::optional<T>& figure) {
  return figure ? Value(*figure) : Value();
}

/// The entry, left out where there is nothing to say: for facts and documents, where a missing entry means not known.
inline void put(Value& map, std::string_view key, const std::string& text) {
  if (!text.empty()) map[key] = text;
}
inline void put(Value& map, std::string_view key, const std::vector<std::string>& texts) {
  if (!texts.empty()) map[key] = list_of_texts(texts);
}
template <class T>
void put(Value& map, std::string_view key, const std::optional<T>& figure) {
  if (figure) map[key] = *figure;
}

/// The same at the end of a map that does not have the key yet.
inline void put(Value::Map& map, std::string_view key, const std::string& text) {
  if (!text.empty()) map.emplace_back(key, text);
}
template <class T>
void put(Value::Map& map, std::string_view key, const std::optional<T>& figure) {
  if (figure) map.emplace_back(key, *figure);
}

/// Where something stands: "file", "line", "column".
inline void put_place(Value& map, const SourceLocation& where) {
  map["file"] = where.file;
  map["line"] = where.line;
  map["column"] = where.column;
}

}  // namespace steelyard
