// Records of short outputs, for tests.
#pragma once

#include <steelyard/evidence.hpp>

#include "support/catch.hpp"

namespace steelyard {

/// Null where the reader did not find it.
inline const Value& fact(const ToolRecord& record, const char* key) {
  static const Value none;
  const Value* found = record.facts.find(key);
  return found ? *found : none;
}

/// The one record of a text.
inline ToolRecord only(std::string_view text) {
  const auto records = read_tool_output(text);
  REQUIRE(records.size() == 1);
  return records.front();
}

}  // namespace steelyard
