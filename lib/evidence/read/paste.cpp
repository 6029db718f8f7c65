#include "evidence/read/paste.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "core/text.hpp"
#include "evidence/read/log_prefixes.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }
bool name_character(char c) { return digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.'; }

std::size_t digits_from(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && digit(text[end])) ++end;
  return end - at;
}

/// UTF-16 from a Windows console keeps its ASCII; all other characters become '?'.
std::string from_utf16(std::string_view text) {
  std::string plain;
  for (std::size_t at = 2; at + 1 < text.size(); at += 2) plain.push_back(text[at + 1] == 0 ? text[at] : '?');
  return plain;
}

/// The character that a text copied from the source of a web page means by "&lt;"; length 0 where there is none.
std::pair<char, std::size_t> entity(std::string_view text) {
  static constexpr std::pair<std::string_view, char> known[] = {{"&lt;", '<'},   {"&gt;", '>'},   {"&amp;", '&'},
                                                                {"&quot;", '"'}, {"&#39;", '\''}, {"&nbsp;", ' '}};
  for (const auto& [name, meaning] : known) {
    if (starts_with(text, name)) return {meaning, name.size()};
  }
  return {'&', 0};
}

/// Colours and cursor movements ("ESC [ 31 m") go; no-break spaces become blanks.
std::string without_escapes(std::string_view line) {
  std::string plain;
  plain.reserve(line.size());
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '\x1b' && at + 1 < line.size() && line[at + 1] == '[') {
      at += 2;
      while (at < line.size() && (digit(line[at]) || line[at] == ';' || line[at] == '?')) ++at;
    } else if (line[at] == '\xc2' && at + 1 < line.size() && line[at + 1] == '\xa0') {
      plain.push_back(' ');
      ++at;
    } else if (line[at] == '&') {
      const auto [character, length] = entity(line.substr(at));
      plain.push_back(character);
      at += std::max<std::size_t>(length, 1) - 1;
    } else if (line[at] != '\0') {
      plain.push_back(line[at]);
    }
  }
  return plain;
}

/// "> " and "> > " of mail and chat.
bool strip_quote(std::string_view& line) {
  const std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || line[at] != '>' || starts_with(line.substr(at), ">>>")) return false;
  line.remove_prefix(at + 1);
  if (!line.empty() && line[0] == ' ') line.remove_prefix(1);
  return true;
}

/// "[1,0]<stdout>:" of mpirun.
bool strip_mpirun(std::string_view& line) {
  const std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || line[at] != '[') return false;
  std::size_t end = at + 1 + digits_from(line, at + 1);
  if (end >= line.size() || line[end] != ',') return false;
  end += 1 + digits_from(line, end + 1);
  for (const std::string_view mark : {"]<stdout>:", "]<stderr>:", "]<stddiag>:"}) {
    if (!starts_with(line.substr(end), mark)) continue;
    line.remove_prefix(end + mark.size());
    return true;
  }
  return false;
}

/// "0: " of srun -l.
bool strip_srun(std::string_view& line) {
  const std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos) return false;
  const std::size_t length = digits_from(line, at);
  if (length == 0 || length > 5 || at + length >= line.size() || line[at + length] != ':') return false;
  const std::string_view rest = line.substr(at + length + 1);
  if (!rest.empty() && rest[0] != ' ') return false;
  line.remove_prefix(at + length + 1);
  if (!line.empty()) line.remove_prefix(1);
  return true;
}

/// "2026-01-31T10:00:00.123Z " and "[2026-01-31 10:00:00] ".
bool strip_timestamp(std::string_view& line) {
  const std::size_t open = !line.empty() && line[0] == '[' ? 1 : 0;
  const std::string_view text = line.substr(open);
  if (text.size() < 20 || digits_from(text, 0) != 4 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ')) return false;
  if (digits_from(text, 11) != 2 || text[13] != ':' || text[16] != ':') return false;
  std::size_t end = 19;
  while (end < text.size() && (digit(text[end]) || text[end] == '.' || text[end] == ',' || text[end] == 'Z' || text[end] == '+' || text[end] == ':'))
    ++end;
  if (open == 1 && end < text.size() && text[end] == ']') ++end;
  if (end < text.size() && text[end] != ' ' && text[end] != '\t') return false;
  line.remove_prefix(std::min(line.size(), open + end + 1));
  return true;
}

/// "(worker pid=4711) " of Ray and "[pod/name/container] " of kubectl.
bool strip_worker(std::string_view& line) {
  const bool ray = starts_with(line, "(") && contains(before(line, ")"), "pid=");
  if (!ray && !starts_with(line, "[pod/")) return false;
  const std::size_t close = line.find(ray ? ") " : "] ");
  if (close == std::string_view::npos) return false;
  line.remove_prefix(close + 2);
  return true;
}

/// "[0]" in front of a line and glued between its parts, as a launcher writes it before every piece of output.
std::string without_rank_tags(std::string_view whole) {
  const std::string_view line = whole.substr(std::min(whole.find_first_not_of(" \t"), whole.size()));
  const std::size_t length = starts_with(line, "[") ? digits_from(line, 1) : 0;
  if (length == 0 || length > 5 || length + 1 >= line.size() || line[length + 1] != ']') return std::string(whole);
  const std::string tag(line.substr(0, length + 2));
  std::string rest(line.substr(tag.size()));
  if (contains(rest, "NCCL")) return rest;  // there "[0]" is a device
  for (std::size_t at = rest.find(tag); at != std::string::npos; at = rest.find(tag)) rest.replace(at, tag.size(), " ");
  return rest;
}

void strip_launchers(std::string_view& line) {
  for (int round = 0; round < 8; ++round) {
    const bool stamped = strip_timestamp(line);
    if (stamped) strip_level(line);
    if (!stamped && !strip_quote(line) && !strip_mpirun(line) && !strip_torchrun(line) && !strip_syslog_time(line) && !strip_worker(line)) break;
  }
}

std::string without_prefixes(std::string_view line) {
  strip_launchers(line);
  if (strip_srun(line)) strip_launchers(line);
  return without_rank_tags(line);
}

bool is_elision(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.empty() || text.size() > 90) return false;
  if (text.find_first_not_of(".[]() \t") == std::string_view::npos) return contains(text, "..");
  if (contains(text, "\xe2\x80\xa6") && text.size() <= 8) return true;
  if (std::string_view("[<(=-*.").find(text[0]) == std::string_view::npos) return false;
  for (const std::string_view word : {"snip", "truncated", "omitted", "elided", "similar lines", "lines skipped", "lines removed"}) {
    if (contains_ci(text, word)) return true;
  }
  return false;
}

/// Length of "host: ", "host | " or "host process[123]: " in front of a line, 0 where there is none. Tool words such as "NVRM: " have no digit or
/// dash.
std::size_t host_prefix(std::string_view line) {
  if (const std::size_t length = process_prefix(line); length > 0) return length;
  std::size_t end = 0;
  while (end < line.size() && name_character(line[end])) ++end;
  const std::string_view name = line.substr(0, end);
  if (name.find_first_of("0123456789-") == std::string_view::npos || starts_with(name, "GPU") || !name_character(line.empty() ? ' ' : line[0]))
    return 0;
  if (starts_with(line.substr(end), ": ")) return end + 2;
  const std::size_t bar = line.find_first_not_of(' ', end);
  return bar != std::string_view::npos && bar > end && starts_with(line.substr(bar), "| ") ? bar + 2 : 0;
}

/// A part that a carriage return set off from the line before it has no prefix of its own.
bool overwrites(const std::vector<Line>& lines, std::size_t at) { return at > 0 && lines[at].number == lines[at - 1].number; }

/// Parallel shells and the journal write a host in front of every line; only where all lines have it is it taken off. A process with its number
/// is plain enough to be known by a single line.
void strip_hosts(std::vector<Line>& lines) {
  std::size_t filled = 0, processes = 0;
  std::set<std::string, std::less<>> hosts;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::string& text = lines[at].text;
    if (trim(text).empty() || overwrites(lines, at)) continue;
    const std::size_t length = host_prefix(text);
    if (length == 0) return;
    ++filled;
    processes += process_prefix(text) > 0;
    hosts.insert(text.substr(0, length));
  }
  const bool of_processes = filled > 0 && processes == filled && hosts.size() == 1;
  if (!of_processes && (filled < 3 || hosts.size() * 3 > filled)) return;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    Line& line = lines[at];
    if (overwrites(lines, at)) continue;
    line.text = without_prefixes(std::string_view(line.text).substr(std::min(line.text.size(), host_prefix(line.text))));
    line.elided = line.elided || is_elision(line.text);
  }
}

}  // namespace

bool Paste::elided_between(int first, int last) const {
  return std::any_of(lines.begin(), lines.end(), [&](const Line& line) { return line.elided && line.number >= first && line.number <= last; });
}

Paste clean(std::string_view text) {
  std::string converted;
  if (starts_with(text, "\xff\xfe")) text = converted = from_utf16(text);
  if (starts_with(text, "\xef\xbb\xbf")) text.remove_prefix(3);
  Paste paste;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = without_escapes(text.substr(0, end));
    ++number;
    for (const std::string& part : split(trim(line).empty() ? std::string_view{} : std::string_view(line), '\r')) {
      if (part.empty() && line.find('\r') != std::string::npos) continue;
      std::string plain = without_prefixes(part);
      const bool elided = is_elision(plain);
      paste.lines.push_back({number, std::move(plain), elided});
    }
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  if (strip_line_numbers(paste.lines)) {
    for (Line& line : paste.lines) line.text = without_prefixes(line.text), line.elided = is_elision(line.text);
  }
  strip_hosts(paste.lines);
  return paste;
}

}  // namespace steelyard::evidence
