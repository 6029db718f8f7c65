// What a text is that should have been UTF-8 text.
#pragma once

#include <string_view>

namespace steelyard {

/// A kind of file that people give in place of a text, and what they can do; both empty where the bytes tell nothing.
struct ForeignKind {
  std::string_view what;  // "UTF-16 text"
  std::string_view fix;
};

ForeignKind foreign_kind(std::string_view bytes);

}  // namespace steelyard
