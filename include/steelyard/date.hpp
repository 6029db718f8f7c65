// Calendar dates, as prices and support facts carry them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace steelyard {

/// A day of the proleptic Gregorian calendar.
struct Date {
  int year = 1970;
  int month = 1;
  int day = 1;

  friend auto operator<=>(const Date&, const Date&) = default;
};

/// "2026-11-30"; empty where the text is no existing day in that form.
std::optional<Date> parse_date(std::string_view text);
std::string to_string(const Date& date);
/// Whole days from `from` to `to`, negative where `to` is earlier.
int days_between(const Date& from, const Date& to);

}  // namespace steelyard
