#include "core/foreign_kind.hpp"

#include <algorithm>

namespace steelyard {

ForeignKind foreign_kind(std::string_view bytes) {
  constexpr std::string_view save = "save the file as UTF-8";
  if (bytes.starts_with("\x1F\x8B")) return {"gzip data", "unpack it with gunzip"};
  if (bytes.starts_with(std::string_view("PK\x03\x04")))
    return {"a zip archive, as .xlsx and .zip files are", "unpack it, or export the sheet as CSV"};
  if (bytes.starts_with("%PDF")) return {"a PDF", "name a text file"};
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
    return {"UTF-16 text, as Windows PowerShell writes it", "save the file as UTF-8 (PowerShell: Out-File -Encoding utf8)"};
  // Text of Latin letters in UTF-16 without a mark: every other byte is zero.
  const std::string_view head = bytes.substr(0, 256);
  const auto zeros = std::count(head.begin(), head.end(), '\0');
  if (head.size() >= 8 && zeros >= static_cast<std::ptrdiff_t>(head.size()) * 2 / 5 && zeros <= static_cast<std::ptrdiff_t>(head.size()) * 3 / 5)
    return {"UTF-16 text", save};
  return {};
}

}  // namespace steelyard
