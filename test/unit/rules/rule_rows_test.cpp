// Many rows at once say what one row at a time says.
#include <cmath>
#include <steelyard/rule_rows.hpp>

#include "support/catch.hpp"

using namespace steelyard;
using Catch::Matchers::Contains;

namespace {

RuleBook links() {
  return value_or_throw(RuleBook::from_text(R"yaml(
facts:
  - {name: plan.tensor, type: number}
  - {name: link.kind, type: string, values: [nvlink, pcie]}
  - {name: link.tested, type: bool}
  - {name: link.tags, type: map}
decisions:
  - id: network.rate
    value: "plan.tensor * 10"
    because: "{plan.tensor} x 10"
  - id: network.fit
    hit_policy: first
    rules:
      - {id: network.fit.fast, when: link.kind == "nvlink" && link.tested, then: fast, because: "nvlink for {plan.tensor}"}
      - {id: network.fit.slow, when: link.kind == "pcie" && network.rate < 45, then: slow, because: "{network.rate} < 45 on PCIe"}
)yaml",
                                            "links.yaml"));
}

std::string status(const RuleColumn& column, std::size_t row) { return rule_statuses[column.status[row]]; }

std::string rule(const RuleColumn& column, std::size_t row) {
  return column.rule[row] < 0 ? "" : column.rules[static_cast<std::size_t>(column.rule[row])];
}

template <class Call>
std::string message(const Call& call) {
  try {
    call();
  } catch (const LoadError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("rows of columns get what each row gets alone") {
  const RuleBook book = links();
  constexpr std::size_t count = 150'000;  // more than one core takes
  std::vector<double> tensor;
  std::vector<std::string> kind;
  std::vector<std::uint8_t> tested;
  for (std::size_t row = 0; row < count; ++row) {
    tensor.push_back(row % 7 == 6 ? std::nan("") : static_cast<double>(row % 7 + 1));
    kind.push_back(row % 3 == 0 ? "nvlink" : "pcie");
    tested.push_back(row % 2);
  }
  RuleRows rows(book, count);
  rows.numbers("plan.tensor", tensor);
  rows.texts("link.kind", kind);
  rows.flags("link.tested", tested);
  const std::vector<RuleColumn> columns = rows.decide({"network.fit", "network.rate"});
  REQUIRE(columns.size() == 2);
  const RuleColumn &fit = columns[0], &rate = columns[1];
  CHECK(fit.decision == "network.fit");
  CHECK(fit.numbers.empty());
  CHECK(rate.rule.empty());
  REQUIRE(rate.numbers.size() == count);
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < count; row += row % 1000 < 50 ? 1 : 37) {
    const RuleOutcome alone = rows.outcome("network.fit", row), number = rows.outcome("network.rate", row);
    wrong += status(fit, row) != alone.status;
    wrong += rule(fit, row) != (alone.hits.empty() ? "" : alone.hits[0].rule);
    wrong += status(rate, row) != number.status;
    wrong += number.output.is_null() ? !std::isnan(rate.numbers[row]) : rate.numbers[row] != number.output.as_number();
  }
  CHECK(wrong == 0);
  CHECK(status(fit, 0) == "no_hit");  // nvlink that was not tested
  CHECK(rule(fit, 3) == "network.fit.fast");
  CHECK(rule(fit, 1) == "network.fit.slow");  // 20 < 45
  CHECK(status(fit, 13) == "undetermined");   // the rate is not known
  CHECK(status(rate, count - 1) == rows.outcome("network.rate", count - 1).status);
}

TEST_CASE("values of any kind: missing, not applicable, one for all rows") {
  RuleRows rows(links(), 3);
  rows.values("plan.tensor", {Value(2), std::nullopt, Value()});
  rows.constant("link.kind", "pcie");
  const auto columns = rows.decide({"network.rate", "network.fit"});
  CHECK(columns[0].numbers[0] == 20);
  CHECK(status(columns[0], 1) == "undetermined");
  CHECK(status(columns[1], 1) == "undetermined");
  CHECK(rows.outcome("network.fit", 1).unknown == std::vector<std::string>{"plan.tensor"});
  CHECK(rows.outcome("network.fit", 0).hits.at(0).because == "20 < 45 on PCIe");
  CHECK_THROWS_AS(rows.outcome("network.fit", 3), std::out_of_range);
  CHECK(RuleRows(links(), 0).decide({"network.fit"})[0].status.empty());
}

TEST_CASE("names, kinds and lengths that do not fit are said") {
  RuleRows rows(links(), 2);
  const std::vector<double> one = {1}, two = {1, 2};
  const std::vector<std::string> words = {"nvlink", "pcie"};
  CHECK_THAT(message([&] { rows.numbers("plan.tenser", two); }), Contains("plan.tenser") && Contains("did you mean plan.tensor?"));
  CHECK_THAT(message([&] { rows.numbers("network.rate", two); }), Contains("no such fact"));
  CHECK_THAT(message([&] { rows.numbers("plan.tensor", one); }), Contains("expected 2 values, one a row, found 1"));
  CHECK_THAT(message([&] { rows.texts("plan.tensor", words); }), Contains("expected a number in every row"));
  CHECK_THAT(message([&] { rows.values("link.kind", {Value("pcie"), Value(7)}); }), Contains("expected a string, found 7"));
  CHECK_THAT(message([&] { rows.constant("link.tested", "yes"); }), Contains("link.tested"));
  CHECK_THAT(message([&] { rows.decide({"network.fast"}); }), Contains("network.fast") && Contains("no such decision"));
}
