// What is fed with arbitrary bytes: every reader of tool outputs, the parsers of files, and expressions of the rule language.
#pragma once

#include <string_view>
#include <vector>

namespace steelyard::fuzz {

/// Must not throw, hang or touch memory that is not its own, whatever the bytes; aborts where a promise of the parser is broken.
struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

const std::vector<Target>& targets();
/// nullptr where there is none of that name.
const Target* find_target(std::string_view name);

}  // namespace steelyard::fuzz
