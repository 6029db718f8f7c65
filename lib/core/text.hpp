// Small text helpers: numbers, names, nearest words. Locale-independent throughout.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

/// The whole text as a finite number: optional sign, digits, fraction, exponent. Not "010", not "nan", not "1,5", not "0x1f".
std::optional<double> parse_number(std::string_view text);
/// The whole text as an integer without leading zeros.
std::optional<long long> parse_integer(std::string_view text);
/// The shortest form that reads back the same, without exponent between 1e-4 and 1e15.
std::string format_number(double value);
/// At most `digits` significant digits, thousands separated by a comma where `grouped`.
std::string format_rounded(double value, int digits = 3, bool grouped = false);

std::string to_lower(std::string_view text);
std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& words, std::string_view separator);
/// Lower case, letters and digits only: how names are compared.
std::string name_key(std::string_view text);

/// Edits (insert, delete, replace, swap neighbours) between two words.
int edit_distance(std::string_view one, std::string_view other);
/// The known words nearest to an unknown one, nearest first, none that is farther than a third of its length.
/// The text, or as much of its beginning as `most` bytes hold with three dots behind it; no character is cut.
std::string shortened(std::string_view text, std::size_t most);
std::vector<std::string> nearest_words(std::string_view word, const std::vector<std::string>& known, std::size_t most = 3);

/// Is it valid UTF-8 (RFC 3629)? The byte offset of the first fault where it is not.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);
/// Line `number` (1-based) of a text, without its end.
std::string_view line_of(std::string_view text, int number);

}  // namespace steelyard
