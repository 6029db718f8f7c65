#include <chrono>
#include <steelyard/date.hpp>

#include "core/text.hpp"

namespace steelyard {

namespace {

std::chrono::year_month_day calendar_day(const Date& date) {
  using namespace std::chrono;
  return year{date.year} / month{static_cast<unsigned>(date.month)} / day{static_cast<unsigned>(date.day)};
}

std::optional<int> digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

std::string padded(int value, std::size_t width) {
  const std::string text = std::to_string(value);
  return std::string(width > text.size() ? width - text.size() : 0, '0') + text;
}

}  // namespace

std::optional<Date> parse_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = digits(text.substr(0, 4)), month = digits(text.substr(5, 2)), day = digits(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const Date date{*year, *month, *day};
  return calendar_day(date).ok() ? std::optional(date) : std::nullopt;
}

std::string to_string(const Date& date) { return padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2); }

int days_between(const Date& from, const Date& to) {
  return static_cast<int>((std::chrono::sys_days(calendar_day(to)) - std::chrono::sys_days(calendar_day(from))).count());
}

}  // namespace steelyard
