// Helpers of the tests on input habits.
#pragma once

#include <steelyard/habits.hpp>

#include "support/catch.hpp"

namespace habits_test {

using namespace steelyard;

inline Understanding understand(const std::vector<InputText>& inputs) {
  Loaded<Understanding> loaded = understand_inputs(inputs, Catalog::embedded());
  for (const Issue& issue : loaded.issues) UNSCOPED_INFO(to_string(issue));
  REQUIRE(loaded);
  return std::move(*loaded.value);
}

/// The value at a path of the workload or ("run.…") of the present run as JSON text; empty where it is not there.
inline std::string at(const Understanding& all, const std::string& path) {
  const Value* value = path.rfind("run.", 0) == 0 ? all.run.at_path(path.substr(4)) : all.workload.at_path(path);
  if (!value) return {};
  return value->is_string() ? value->as_string() : to_json(*value);
}

inline bool is_open(const Understanding& all, const std::string& key) {
  for (const NotUnderstood& one : all.open) {
    if (one.key == key) return true;
  }
  return false;
}

inline bool asks(const Understanding& all, const std::string& field) {
  for (const Question& one : all.questions) {
    if (one.field == field) return true;
  }
  return false;
}

}  // namespace habits_test
