// JSON that may be cut off anywhere: what was whole is kept.
#pragma once

#include <steelyard/value.hpp>
#include <string_view>

namespace steelyard::evidence {

struct LenientJson {
  Value value;             // members and items that were whole
  bool complete = false;   // the outermost value was closed
  std::size_t length = 0;  // bytes read
};

/// Reads the value that begins at the start of the text. Depth is bounded; a fault ends the reading like a cut does.
LenientJson read_lenient_json(std::string_view text);

}  // namespace steelyard::evidence
