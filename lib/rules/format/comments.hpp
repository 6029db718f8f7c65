// The comments of a YAML text, which its tree of values does not hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steelyard::rules {

struct Comment {
  int line = 0;      // from 1
  bool own = false;  // alone on its line
  std::string text;  // with its #; empty for a blank line, which is the author's too
};

/// Comments and blank lines in the order of the text. The text must be valid YAML.
std::vector<Comment> comments_of(std::string_view text);

}  // namespace steelyard::rules
