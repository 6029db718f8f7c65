#include "catalog/import/gpu_info.hpp"

#include <cctype>

#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

/// The value behind a key in Python or JSON dict text: 'Name': 'A100' -> A100, "Count": 8.0 -> 8.0. Nesting doesn't matter.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    std::size_t after = at + key.size();
    if (at == 0 || (text[at - 1] != '\'' && text[at - 1] != '"') || after >= text.size() || text[after] != text[at - 1]) continue;
    after = text.find(':', after);
    if (after == text.npos) return {};
    std::string_view value = trim(text.substr(after + 1));
    if (!value.empty() && (value[0] == '\'' || value[0] == '"')) return value.substr(1, value.find(value[0], 1) - 1);
    return trim(value.substr(0, value.find_first_of(",}]")));
  }
  return {};
}

}  // namespace

std::optional<double> memory_in_prose(std::string_view text) {
  const std::string lower = to_lower(text);
  const std::size_t unit = lower.rfind("gb");
  if (unit == lower.npos || unit == 0) return std::nullopt;
  std::size_t start = unit;
  while (start > 0 && (std::isdigit(static_cast<unsigned char>(lower[start - 1])) || lower[start - 1] == '.')) --start;
  return parse_number(std::string_view(lower).substr(start, unit - start));
}

GpuInfo parse_gpu_info(std::string_view text) {
  GpuInfo info;
  if (text.find('{') == text.npos) {
    info.name = std::string(trim(text));
    return info;
  }
  info.name = std::string(value_of(text, "Name"));
  info.device_memory = parse_number(value_of(text, "SizeInMiB"));
  info.total_memory = parse_number(value_of(text, "TotalGpuMemoryInMiB"));
  info.count = parse_number(value_of(text, "Count"));
  return info;
}

}  // namespace steelyard::catalog
