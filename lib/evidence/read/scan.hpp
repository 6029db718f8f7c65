// Hand-written scanning of lines: words, numbers, keys. Nothing here throws; positions are byte offsets.
#pragma once

#include <cstdint>
#include <optional>
#include <steelyard/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::evidence {

/// Words between blanks and tabs.
std::vector<std::string_view> words(std::string_view text);
bool contains(std::string_view text, std::string_view part);
bool starts_with(std::string_view text, std::string_view part);
bool ends_with(std::string_view text, std::string_view part);
/// ASCII, without regard to case.
bool equal_ci(std::string_view one, std::string_view other);
bool contains_ci(std::string_view text, std::string_view part);

/// The text behind the first occurrence of `mark`, blanks trimmed; empty optional where the mark is missing.
std::optional<std::string_view> after(std::string_view text, std::string_view mark);
/// The text before the first occurrence of `mark`, or all of it.
std::string_view before(std::string_view text, std::string_view mark);
/// The first word behind `mark`, up to a blank or one of `stops`.
std::optional<std::string_view> word_after(std::string_view text, std::string_view mark, std::string_view stops = {});

/// A whole word as a number: digits, a decimal point or (where it can't mean thousands) comma. Not "N/A", not "12us".
std::optional<double> number(std::string_view word);
std::optional<std::int64_t> integer(std::string_view word);
/// The number that a text begins with ("700W" gives 700), blanks in front allowed.
std::optional<double> leading_number(std::string_view text);
std::optional<std::int64_t> leading_integer(std::string_view text);
/// The number behind a mark ("vendor err 129").
std::optional<double> number_after(std::string_view text, std::string_view mark);
std::optional<std::int64_t> integer_after(std::string_view text, std::string_view mark);
/// Has the word this many digits behind the decimal point (printf "%.2f" always writes two; fewer means it was cut)?
bool has_decimals(std::string_view word, std::size_t digits);

/// "Key name   : value" split at the first colon that a blank or the end follows.
struct KeyValue {
  std::string_view key, value;
  std::size_t indent = 0;
};
std::optional<KeyValue> key_value(std::string_view line);
std::size_t indent_of(std::string_view line);

/// Set a fact only where there is one.
template <class T>
void set(Value& facts, std::string_view key, const std::optional<T>& value) {
  if (value) facts[key] = Value(*value);
}
void set_text(Value& facts, std::string_view key, std::string_view value);

/// 12040 → "12.4" (CUDA); 22606 → "2.26.6", 2804 → "2.8.4" (NCCL, which changed its code at 2.9).
std::string cuda_version(std::int64_t code);
std::string nccl_version(std::int64_t code);
/// The digits and points that a text begins with: "2.26.6+cuda12.2" → "2.26.6".
std::string version_prefix(std::string_view text);

}  // namespace steelyard::evidence
