// Text of foreign origin on a terminal: nothing in it may move the cursor, hide or reorder what stands beside it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steelyard {

/// The text with control characters, marks that nobody sees and bytes that are no UTF-8 written out: "\x1b", "\u200b". Line feeds and tabs stay;
/// a carriage return in front of a line feed goes.
std::string printable(std::string_view text);

/// Cells of a terminal that a printable text takes: two for the wide characters of East Asia.
std::size_t display_width(std::string_view text);

}  // namespace steelyard
