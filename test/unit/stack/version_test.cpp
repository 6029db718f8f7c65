#include "decide/3_stack/version.hpp"

#include "support/catch.hpp"

using namespace steelyard::stack;

TEST_CASE("versions order as numbers, whatever their length") {
  const auto number = [](const char* text) { return parse_version(text)->number(); };
  CHECK(number("525.60.13") == 525.060013);
  CHECK(number("570.124.06") == 570.124006);
  CHECK(number("12.4") == 12.004);
  CHECK(number("570.26") < number("570.124.06"));
  CHECK(number("12.10") > number("12.9.1"));
  CHECK(number("535") < number("535.54.03"));
  CHECK(parse_version("535")->upper() > number("535.288.01"));
  CHECK(parse_version("2.9.0a0+145a3a7bda")->text() == "2.9.0");
  CHECK(parse_version("12.2.2.009")->text() == "12.2.2");
}

TEST_CASE("texts that are no versions are refused") {
  CHECK_FALSE(parse_version(""));
  CHECK_FALSE(parse_version("unknown"));
  CHECK_FALSE(parse_version(".5"));
  CHECK_FALSE(parse_exact_version("565/570 open"));
  CHECK(parse_exact_version(" 550.54.14 "));
}

TEST_CASE("wheel variants name a toolkit") {
  CHECK(parse_variant("cu121")->text() == "12.1");
  CHECK(parse_variant("cu130")->text() == "13.0");
  CHECK(parse_variant("cu92")->text() == "9.2");
  CHECK_FALSE(parse_variant("cuda"));
  CHECK_FALSE(parse_variant("cu1"));
  CHECK_FALSE(parse_variant("12.1"));
}

TEST_CASE("numbers go back to text") {
  CHECK(version_text(12.004) == "12.4");
  CHECK(version_text(2.032) == "2.32");
  CHECK(version_text(12.004001) == "12.4.1");
}
