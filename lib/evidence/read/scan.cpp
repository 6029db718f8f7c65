#include "evidence/read/scan.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace steelyard::evidence {

namespace {

bool blank(char c) { return c == ' ' || c == '\t'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Length of the number at the start: sign, digits, one decimal point or comma with digits behind it.
std::size_t number_length(std::string_view text, bool comma) {
  std::size_t end = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const std::size_t first = end;
  while (end < text.size() && digit(text[end])) ++end;
  if (end == first) return 0;
  if (end + 1 < text.size() && (text[end] == '.' || (comma && text[end] == ',')) && digit(text[end + 1])) {
    ++end;
    while (end < text.size() && digit(text[end])) ++end;
  }
  return end;
}

/// Digits of a printed number as a double; leading zeros are fine here ("007" in a log is 7).
std::optional<double> digits_value(std::string_view text) {
  std::string plain(text);
  std::replace(plain.begin(), plain.end(), ',', '.');
  const bool negative = plain.front() == '-';
  if (plain.front() == '-' || plain.front() == '+') plain.erase(0, 1);
  const std::size_t zeros = plain.find_first_not_of('0');
  if (zeros == std::string::npos) return 0.0;
  plain.erase(0, plain[zeros] == '.' && zeros > 0 ? zeros - 1 : zeros);
  const std::optional<double> value = parse_number(plain);
  return value && negative ? std::optional(-*value) : value;
}

/// "98,02" and "1709360,800" have a decimal comma; "1,000" may be a thousand and is left alone.
bool decimal_comma(std::string_view word) {
  const std::size_t comma = word.find(',');
  if (comma == std::string_view::npos || word.find(',', comma + 1) != std::string_view::npos) return false;
  const std::size_t behind = word.size() - comma - 1;
  return behind != 3 || comma > 3 || (comma == 1 && word[0] == '0');
}

}  // namespace

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  std::size_t at = 0;
  while (at < text.size()) {
    while (at < text.size() && blank(text[at])) ++at;
    std::size_t end = at;
    while (end < text.size() && !blank(text[end])) ++end;
    if (end > at) found.push_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
bool starts_with(std::string_view text, std::string_view part) { return text.substr(0, part.size()) == part; }
bool ends_with(std::string_view text, std::string_view part) { return text.size() >= part.size() && text.substr(text.size() - part.size()) == part; }

bool equal_ci(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](char a, char b) { return lower(a) == lower(b); });
}

bool contains_ci(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return trim(text.substr(at + mark.size()));
}

std::string_view before(std::string_view text, std::string_view mark) { return text.substr(0, text.find(mark)); }

std::optional<std::string_view> word_after(std::string_view text, std::string_view mark, std::string_view stops) {
  const std::optional<std::string_view> rest = after(text, mark);
  if (!rest) return std::nullopt;
  std::size_t end = 0;
  while (end < rest->size() && !blank((*rest)[end]) && stops.find((*rest)[end]) == std::string_view::npos) ++end;
  if (end == 0) return std::nullopt;
  return rest->substr(0, end);
}

std::optional<double> number(std::string_view word) {
  if (word.empty() || word.size() > 40) return std::nullopt;
  if (number_length(word, decimal_comma(word)) != word.size()) return std::nullopt;
  return digits_value(word);
}

std::optional<std::int64_t> integer(std::string_view word) {
  if (word.empty() || word.size() > 18 || number_length(word, false) != word.size() || contains(word, ".")) return std::nullopt;
  std::int64_t value = 0;
  const bool negative = word[0] == '-';
  for (const char c : word) {
    if (digit(c)) value = value * 10 + (c - '0');
  }
  return negative ? -value : value;
}

std::optional<double> leading_number(std::string_view text) {
  text = trim(text);
  const std::size_t length = number_length(text, false);
  if (length == 0 || length > 40) return std::nullopt;
  return digits_value(text.substr(0, length));
}

std::optional<std::int64_t> leading_integer(std::string_view text) {
  text = trim(text);
  std::size_t end = !text.empty() && text[0] == '-' ? 1 : 0;
  while (end < text.size() && digit(text[end])) ++end;
  return integer(text.substr(0, end));
}

std::optional<double> number_after(std::string_view text, std::string_view mark) {
  const std::optional<std::string_view> rest = after(text, mark);
  return rest ? leading_number(*rest) : std::nullopt;
}

std::optional<std::int64_t> integer_after(std::string_view text, std::string_view mark) {
  const std::optional<std::string_view> rest = after(text, mark);
  return rest ? leading_integer(*rest) : std::nullopt;
}

bool has_decimals(std::string_view word, std::size_t digits) {
  const std::size_t point = word.find_first_of(".,");
  return point != std::string_view::npos && word.size() - point - 1 == digits;
}

std::size_t indent_of(std::string_view line) {
  std::size_t width = 0;
  for (const char c : line) {
    if (c == ' ')
      ++width;
    else if (c == '\t')
      width += 8 - width % 8;
    else
      break;
  }
  return width;
}

std::optional<KeyValue> key_value(std::string_view line) {
  std::size_t colon = line.find(':');
  while (colon != std::string_view::npos && colon + 1 < line.size() && !blank(line[colon + 1])) colon = line.find(':', colon + 1);
  if (colon == std::string_view::npos) return std::nullopt;
  return KeyValue{trim(line.substr(0, colon)), trim(line.substr(colon + 1)), indent_of(line)};
}

void set_text(Value& facts, std::string_view key, std::string_view value) {
  if (!value.empty()) facts[key] = Value(value);
}

std::string cuda_version(std::int64_t code) { return std::to_string(code / 1000) + "." + std::to_string(code % 1000 / 10); }

std::string nccl_version(std::int64_t code) {
  const std::int64_t major = code >= 10000 ? 10000 : 1000;
  return std::to_string(code / major) + "." + std::to_string(code % major / 100) + "." + std::to_string(code % 100);
}

std::string version_prefix(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (digit(text[end]) || (text[end] == '.' && end + 1 < text.size() && digit(text[end + 1])))) ++end;
  return std::string(text.substr(0, end));
}

}  // namespace steelyard::evidence
