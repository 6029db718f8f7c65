#include "core/text.hpp"

#include <clocale>
#include <steelyard/date.hpp>
#include <steelyard/money.hpp>

#include "core/printable.hpp"
#include "support/catch.hpp"

using namespace steelyard;

TEST_CASE("numbers are read the same under every locale") {
  for (const char* locale : {"C", "de_DE.UTF-8"}) {
    std::setlocale(LC_ALL, locale);
    CHECK(parse_number("1.5") == 1.5);
    CHECK(!parse_number("1,5"));
    CHECK(format_number(0.25) == "0.25");
  }
  std::setlocale(LC_ALL, "C");
  CHECK(!parse_number("010"));
  CHECK(!parse_number("nan"));
  CHECK(!parse_number("0x10"));
  CHECK(parse_number("-0.5e3") == -500.0);
}

TEST_CASE("rounded numbers keep their significant digits") {
  CHECK(format_rounded(1234.56, 3) == "1230");
  CHECK(format_rounded(0.012345, 3) == "0.0123");
  CHECK(format_rounded(1234567, 4, true) == "1,235,000");
  for (const double tiny : {1e-290, 2.5e-305, -1e-308}) CHECK(parse_number(format_rounded(tiny)).value() == Approx(tiny));
  for (int number = 100; number < 1000; ++number) CHECK(format_rounded(number * 1e5 + 1, 3) == std::to_string(number) + "00000");
}

TEST_CASE("nearest words") {
  CHECK(nearest_words("tenzor", {"tensor", "pipeline"}) == std::vector<std::string>{"tensor"});
  CHECK(nearest_words("xyzzy", {"tensor", "pipeline"}).empty());
  CHECK(edit_distance("ab", "ba") == 1);
  CHECK(nearest_words("Sequnce_Lenght", {"sequence_length", "length"}) == std::vector<std::string>{"sequence_length"});
  CHECK(nearest_words("a", {"b", "ab", "abc", "B", ""}) == std::vector<std::string>{"", "B", "ab"});
}

TEST_CASE("dates") {
  CHECK(to_string(*parse_date("2024-02-29")) == "2024-02-29");
  CHECK(!parse_date("2023-02-29"));
  CHECK(!parse_date("2023-2-9"));
  CHECK(days_between(*parse_date("2024-02-28"), *parse_date("2024-03-01")) == 2);
}

TEST_CASE("money is exchanged at the day's rate or not at all") {
  const ExchangeRates rates{{2024, 5, 1}, "x", {{"CNY", 0.14}}};
  CHECK(rates.convert({100, "CNY"}, "USD")->amount == Approx(14));
  CHECK(rates.convert({14, "USD"}, "CNY")->amount == Approx(100));
  CHECK(!rates.convert({1, "XYZ"}, "USD"));
}

TEST_CASE("printable text") {
  CHECK(printable("plain, \u00e9, \u4f60\n\ttab\r\n") == "plain, \u00e9, \u4f60\n\ttab\n");
  CHECK(printable("\x1b[31m\x7f\r.") == "\\x1b[31m\\x7f\\x0d.");
  CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(printable("\u200b\u202e\u0085\ufeff") == "\\u200b\\u202e\\u0085\\ufeff");
  CHECK(printable("caf\xe9 \xed\xa0\x80 \xc0\xaf \xf0\x9f\x98") == "caf\\xe9 \\xed\\xa0\\x80 \\xc0\\xaf \\xf0\\x9f\\x98");
  CHECK(display_width("ab\u4f60\u00e9") == 5);
}

TEST_CASE("a shortened text cuts no character, and ends where there are none") {
  CHECK(shortened("short", 60) == "short");
  CHECK(shortened(std::string(70, 'x'), 60) == std::string(57, 'x') + "...");
  const std::string wide = std::string(56, 'x') + "\xe4\xbd\xa0\xe5\xa5\xbd";
  CHECK(shortened(wide, 60) == std::string(56, 'x') + "...");
  CHECK(shortened(std::string(70, '\x81'), 60).size() <= 60);
  CHECK(shortened("abcdef", 2) == "...");
}
