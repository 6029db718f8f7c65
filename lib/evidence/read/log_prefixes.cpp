#include "evidence/read/log_prefixes.hpp"

#include <algorithm>
#include <optional>

#include "core/text.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && digit(text[end])) ++end;
  return end - std::min(at, end);
}

bool month(std::string_view word) {
  static constexpr std::string_view names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return std::find(std::begin(names), std::end(names), word) != std::end(names);
}

std::size_t name_length(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (digit(text[end]) || (text[end] >= 'a' && text[end] <= 'z') || (text[end] >= 'A' && text[end] <= 'Z') ||
                               std::string_view("-_.").find(text[end]) != std::string_view::npos))
    ++end;
  return end;
}

/// "   12\ttext" → 12; nothing where the line has no such number.
std::optional<std::int64_t> line_number(std::string_view line) {
  const std::size_t at = line.find_first_not_of(' ');
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t length = digits_at(line, at);
  if (length == 0 || length > 6 || (at + length < line.size() && line[at + length] != '\t')) return std::nullopt;
  return integer(line.substr(at, length));
}

}  // namespace

bool strip_torchrun(std::string_view& line) {
  const std::size_t at = std::min(line.find_first_not_of(" \t"), line.size());
  for (const std::string_view name : {"[rank", "[default"}) {
    if (!starts_with(line.substr(at), name)) continue;
    const std::size_t number = at + name.size(), length = digits_at(line, number);
    if (length == 0 || length > 5 || !starts_with(line.substr(number + length), "]:")) return false;
    line.remove_prefix(number + length + 2);
    if (starts_with(line, " ")) line.remove_prefix(1);
    return true;
  }
  return false;
}

bool strip_syslog_time(std::string_view& line) {
  if (line.size() < 16 || !month(line.substr(0, 3)) || line[3] != ' ' || line[6] != ' ') return false;
  if (!digit(line[5]) || (line[4] != ' ' && !digit(line[4]))) return false;
  if (digits_at(line, 7) != 2 || line[9] != ':' || digits_at(line, 10) != 2 || line[12] != ':' || digits_at(line, 13) != 2) return false;
  const std::size_t end = line.find_first_not_of(".0123456789", 15);
  if (end == std::string_view::npos || line[end] != ' ') return false;
  line.remove_prefix(end + 1);
  return true;
}

bool strip_level(std::string_view& line) {
  std::string_view rest = line;
  const bool dashed = starts_with(rest, "- ");
  if (dashed) rest.remove_prefix(2);
  for (const std::string_view level : {"[INFO]", "[DEBUG]", "INFO:", "DEBUG:", "INFO", "DEBUG"}) {
    if (!starts_with(rest, level)) continue;
    rest.remove_prefix(level.size());
    if (starts_with(rest, " - "))
      rest.remove_prefix(3);
    else if (starts_with(rest, " "))
      rest.remove_prefix(1);
    else if (!rest.empty())
      return false;
    line = rest;
    return true;
  }
  return false;
}

std::size_t process_prefix(std::string_view line) {
  const std::size_t host = name_length(line);
  if (host == 0 || host + 1 >= line.size() || line[host] != ' ') return 0;
  const std::string_view rest = line.substr(host + 1);
  const std::size_t name = name_length(rest);
  if (name == 0 || name >= rest.size() || rest[name] != '[') return 0;
  const std::size_t digits = digits_at(rest, name + 1);
  if (digits == 0 || !starts_with(rest.substr(name + 1 + digits), "]:")) return 0;
  for (const std::string_view word : {"fabric", "systemd", "kernel"}) {
    if (contains(rest.substr(0, name), word)) return 0;
  }
  const std::size_t end = host + 1 + name + 1 + digits + 2;
  return end < line.size() && line[end] == ' ' ? end + 1 : end;
}

bool strip_line_numbers(std::vector<Line>& lines) {
  const auto overwrites = [&](std::size_t at) { return at > 0 && lines[at].number == lines[at - 1].number; };
  std::int64_t before = 0;
  std::size_t numbered = 0;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (trim(lines[at].text).empty() || overwrites(at)) continue;
    const auto number = line_number(lines[at].text);
    const bool first = numbered == 0;
    if (!number || (first ? *number != 1 : *number <= before || *number > before + 3)) return false;  // empty lines may have lost their number
    before = *number;
    ++numbered;
  }
  if (numbered < 2) return false;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::size_t tab = lines[at].text.find('\t');
    if (!overwrites(at)) lines[at].text.erase(0, tab == std::string::npos ? lines[at].text.size() : tab + 1);
  }
  return true;
}

}  // namespace steelyard::evidence
