#include "core/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace steelyard {

namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t size = 1;  // bytes
  bool valid = false;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t index) { return index < text.size() ? static_cast<unsigned char>(text[index]) : 0u; };
  const unsigned first = byte(at);
  if (first < 0x80) return {first, 1, true};
  const std::size_t size = first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xC2 && first < 0xE0 ? 2 : 0;
  if (size == 0) return {first};
  std::uint32_t code = first & (0x7Fu >> size);
  for (std::size_t next = 1; next < size; ++next) {
    if ((byte(at + next) & 0xC0u) != 0x80u) return {first};
    code = code << 6 | (byte(at + next) & 0x3Fu);
  }
  constexpr std::array<std::uint32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const bool valid = code >= least[size] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return valid ? Character{code, size, true} : Character{first};
}

using Range = std::pair<std::uint32_t, std::uint32_t>;

template <std::size_t Count>
bool within(std::uint32_t code, const std::array<Range, Count>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) { return code >= range.first && code <= range.second; });
}

// Controls, and marks without a shape of their own: soft hyphen, zero-width and direction marks, separators of lines, byte-order mark.
constexpr std::array<Range, 8> hidden = {
    {{0, 0x1F}, {0x7F, 0x9F}, {0xAD, 0xAD}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x2069}, {0xFEFF, 0xFEFF}, {0xE0000, 0xE007F}}};
// East Asian Width W and F, in whole blocks.
constexpr std::array<Range, 8> wide = {{{0x1100, 0x115F},
                                        {0x2E80, 0xA4CF},
                                        {0xAC00, 0xD7A3},
                                        {0xF900, 0xFAFF},
                                        {0xFE30, 0xFE6F},
                                        {0xFF00, 0xFF60},
                                        {0xFFE0, 0xFFE6},
                                        {0x1F300, 0x3FFFD}}};

std::string written_out(const Character& character) {
  std::array<char, 16> buffer{};
  const char* const form = character.valid && character.code >= 0x80 ? "\\u%04x" : "\\x%02x";
  std::snprintf(buffer.data(), buffer.size(), form, static_cast<unsigned>(character.code));
  return buffer.data();
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    const bool line_end = character.code == '\r' && text.substr(at + 1, 1) == "\n";
    if (character.code == '\n' || character.code == '\t' || (character.valid && !within(character.code, hidden))) {
      shown += text.substr(at, character.size);
    } else if (!line_end) {
      shown += written_out(character);
    }
    at += character.size;
  }
  return shown;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    width += character.valid && within(character.code, wide) ? 2 : 1;
    at += character.size;
  }
  return width;
}

}  // namespace steelyard
