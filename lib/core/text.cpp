#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace steelyard {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// from_chars accepts "inf", "010" and ".5"; people who write those mean something else.
bool looks_like_number(std::string_view text) {
  std::size_t at = !text.empty() && text[0] == '-' ? 1 : 0;
  const std::size_t first = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == first) return false;
  return at - first == 1 || text[first] != '0';
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  if (!looks_like_number(text)) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<long long> parse_integer(std::string_view text) {
  if (!looks_like_number(text)) return std::nullopt;
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string format_number(double value) {
  std::array<char, 64> buffer{};
  const double size = std::abs(value);
  const auto format = size == 0 || (size >= 1e-4 && size < 1e15) ? std::chars_format::fixed : std::chars_format::scientific;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

std::string format_rounded(double value, int digits, bool grouped) {
  if (value == 0 || !std::isfinite(value)) return format_number(value);
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (decimals > 300) return format_number(value);  // the power of ten below would be infinite
  // Powers of ten above 1 are exact, those below are not.
  const double scale = std::pow(10.0, std::abs(decimals));
  std::string text = format_number(decimals < 0 ? std::round(value / scale) * scale : std::round(value * scale) / scale);
  if (!grouped) return text;
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::size_t first = text[0] == '-' ? 1 : 0;
  for (std::size_t at = point; at > first + 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (&word != &words.front()) text += separator;
    text += word;
  }
  return text;
}

std::string name_key(std::string_view text) {
  std::string key;
  for (const char c : to_lower(text)) {
    if (is_digit(c) || (c >= 'a' && c <= 'z')) key += c;
  }
  return key;
}

int edit_distance(std::string_view one, std::string_view other) {
  std::vector<int> before(other.size() + 1), last(other.size() + 1), now(other.size() + 1);
  for (std::size_t j = 0; j <= other.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= one.size(); ++i) {
    now[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= other.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[other.size()];
}

namespace {

using Letters = std::array<int, 256>;

// Never more than the edits between two words: letters that one has and the other lacks. Much faster than these.
int least_edits(const Letters& letters, std::string_view word, std::string_view other) {
  Letters left = letters;
  int missing = 0;
  for (const char c : other) {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (left[static_cast<unsigned char>(small)]-- <= 0) ++missing;
  }
  const int common = static_cast<int>(other.size()) - missing;
  return std::max(missing, static_cast<int>(word.size()) - common);
}

}  // namespace

std::vector<std::string> nearest_words(std::string_view word, const std::vector<std::string>& known, std::size_t most) {
  std::vector<std::pair<int, std::string>> near;
  const std::string lower = to_lower(word);
  const int limit = std::max<int>(1, static_cast<int>(word.size()) / 3);
  Letters letters{};
  for (const char c : lower) ++letters[static_cast<unsigned char>(c)];
  for (const std::string& candidate : known) {
    if (std::abs(static_cast<int>(candidate.size()) - static_cast<int>(word.size())) > limit || least_edits(letters, lower, candidate) > limit)
      continue;
    const int distance = edit_distance(lower, to_lower(candidate));
    if (distance <= limit) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> words;
  for (const auto& [distance, candidate] : near) {
    if (words.size() < most) words.push_back(candidate);
  }
  return words;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u; };
  std::size_t cut = most > 3 ? most - 3 : 0;
  for (int back = 0; back < 3 && cut > 0 && continues(cut); ++back) --cut;  // a character has at most three bytes behind its first
  return std::string(text.substr(0, cut)) + "...";
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
  const auto continues = [&](std::size_t at) { return (byte(at) & 0xC0u) == 0x80u; };
  for (std::size_t at = 0; at < text.size();) {
    const unsigned c = byte(at);
    const unsigned next = byte(at + 1);
    if (c < 0x80) {
      at += 1;
    } else if (c >= 0xC2 && c <= 0xDF && continues(at + 1)) {
      at += 2;
    } else if (c >= 0xE0 && c <= 0xEF && continues(at + 1) && continues(at + 2) && !(c == 0xE0 && next < 0xA0) && !(c == 0xED && next > 0x9F)) {
      at += 3;
    } else if (c >= 0xF0 && c <= 0xF4 && continues(at + 1) && continues(at + 2) && continues(at + 3) && !(c == 0xF0 && next < 0x90) &&
               !(c == 0xF4 && next > 0x8F)) {
      at += 4;
    } else {
      return at;
    }
  }
  return std::nullopt;
}

std::string_view line_of(std::string_view text, int number) {
  for (int line = 1; line < number; ++line) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  return !text.empty() && text.back() == '\r' ? text.substr(0, text.size() - 1) : text;
}

}  // namespace steelyard
