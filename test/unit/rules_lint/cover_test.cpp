#include "rules/cover/cover.hpp"

#include "support/catch.hpp"
#include "unit/rules/book_text.hpp"

using namespace steelyard;
using namespace steelyard::rules;

namespace {

const char* const head = R"yaml(
facts:
  - {name: x, type: number, unit: GiB}
  - {name: y, type: number}
  - {name: link, type: string, values: [nvlink, pcie]}
decisions:
  - id: d
    hit_policy: first
    inputs: {size: x, link: link}
    rules:
      - {id: small, when: {size: "< 40 GiB"}, then: low, because: "1"}
      - {id: large, when: {size: "[40 GiB..80 GiB)", link: '"nvlink"'}, then: high, because: "1"}
      - {id: other, when: {size: ">= 80 GiB"}, then: low, because: "1"}
    default: none
    tests:
)yaml";

CoverReport report_of(const std::string& rows) {
  const auto book = book_of(head + rows);
  INFO(issues_of(book.issues));
  REQUIRE(book);
  return cover(*book.value);
}

std::string missing(const CoverReport& report, const std::string& kind) {
  std::string text;
  for (const Uncovered& one : report.uncovered) {
    if (one.kind == kind) text += one.message + "\n";
  }
  return text;
}

const std::string below = "      - {input: {size: 39, link: pcie}, output: low}\n", at = "      - {input: {size: 40, link: nvlink}, output: high}\n",
                  upper = "      - {input: {size: 79.5, link: pcie}, output: none}\n", top = "      - {input: {size: 80}, output: low}\n";

}  // namespace

TEST_CASE("rows reach rules, outputs and both sides of every end") {
  const CoverReport all = report_of(below + at + upper + top);
  CHECK(all.uncovered.empty());
  CHECK(all.rules.covered == 3);
  CHECK(all.rules.total == 3);
  CHECK(all.outcomes.total == 3);  // low, high, none
  CHECK(all.ends.total == 2);      // 40 and 80, each with what is below
  CHECK(all.ends.percent() == 100);
}

TEST_CASE("what no row reaches is named with its place") {
  const CoverReport some = report_of(at + upper);
  CHECK(some.rules.covered == 1);
  CHECK(missing(some, "rule") == "rule small is in no test row that holds\nrule other is in no test row that holds\n");
  CHECK(missing(some, "outcome") == "decision d: no test row gives \"low\"\n");
  CHECK(missing(some, "end") == "rule small: size: no row just below 40 GiB\nrule large: size: no row at 80 GiB\n");
  CHECK(to_string(some.uncovered.front().where) == "rules/test/2_network/x.yaml:11:9");
}

TEST_CASE("rows that fail, that leave a rule open, or that belong to another decision reach nothing") {
  const CoverReport failing = report_of("      - {input: {size: 39}, output: high}\n");
  CHECK(failing.failed_rows == 1);
  CHECK(failing.rules.covered == 0);
  const CoverReport open = report_of("      - {input: {link: pcie}, status: undetermined}\n");
  CHECK(open.failed_rows == 0);
  CHECK(open.rules.covered == 0);
  CHECK(open.outcomes.covered == 0);
  const CoverReport other = report_of(
      "      - {input: {size: 10}, output: low}\n"
      "  - {id: e, value: d, because: '1 {e}', tests: [{input: {x: 80}, output: low}]}\n");
  CHECK(missing(other, "rule") == "rule large is in no test row that holds\nrule other is in no test row that holds\n");
  CHECK(other.rules.covered == 2);  // small, and the expression e
}

TEST_CASE("ends of conditions that compare two facts") {
  const std::string text =
      "facts:\n  - {name: x, type: number}\n  - {name: y, type: number}\n"
      "id: d\nhit_policy: first\nrules:\n  - {id: a, when: x > 2 * y, then: 1, because: '1'}\n  - {id: b, when: x == 3, then: 2, because: '1'}\n"
      "default: 3\ntests:\n  - {input: {x: 5, y: 2}, output: 1}\n  - {input: {x: 3, y: 2}, output: 2}\n";
  const auto book = book_of(text);
  REQUIRE(book);
  CHECK(missing(cover(*book.value), "end") == "rule a: x - 2 * y: no row at 0\n");
  const auto more = book_of(text + "  - {input: {x: 4, y: 2}, output: 3}\n");
  REQUIRE(more);
  CHECK(cover(*more.value).uncovered.empty());
}
