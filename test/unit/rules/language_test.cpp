// What docs/reference/rules.md says of numbers, unknown facts and units.
#include "book_text.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::rules;

namespace {

const std::string head =
    "facts:\n  - {name: job.memory, type: number, unit: GiB}\n  - {name: job.hours, type: number, unit: h}\n  - {name: job.rate, type: number, unit: "
    "Gbit/s}\n"
    "  - {name: job.missing, type: number}\n  - {name: job.flag, type: bool}\n  - {name: job.price, type: number, unit: USD/h}\n";

// The result of an expression over 100 GiB, 73 h, 80 Gbit/s and 2 USD/h: its value, or what keeps it from having one.
std::string value_of(const std::string& expression, const std::string& unit = "") {
  const std::string text = head + "id: d\n" + (unit.empty() ? "" : "unit: " + unit + "\n") + "value: '" + expression + "'\nbecause: '1'\n";
  const auto book = book_of(text);
  if (!book) return book.issues.front().message;
  Value facts;
  facts.set_path("job.memory", 100);
  facts.set_path("job.hours", 73);
  facts.set_path("job.rate", 80);
  facts.set_path("job.price", 2);
  Session session(*book.value, facts);
  const Outcome& outcome = session.decide("d");
  if (outcome.status == Status::undetermined) return "unknown " + outcome.unknown.at(0);
  return outcome.status == Status::failed ? outcome.error : to_json(outcome.output);
}

}  // namespace

TEST_CASE("whole numbers and fractions are one kind of number") {
  CHECK(value_of("1 + 0.5") == "1.5");
  CHECK(value_of("7 / 2") == "3.5");
  CHECK(value_of("1 == 1.0") == "true");
  CHECK(value_of("5 % 3") == "2");
  CHECK(value_of("int(3.9)") == "3");
  CHECK(value_of("[1, 2.5][0] * 2") == "2");
  CHECK(value_of("job.memory / (job.hours - 73)") == "d: division by zero");
}

TEST_CASE("unknown passes through what it could change, and through nothing else") {
  CHECK(value_of("job.missing + 1") == "unknown job.missing");
  CHECK(value_of("job.missing > 80") == "unknown job.missing");
  CHECK(value_of("job.missing == job.missing") == "unknown job.missing");
  CHECK(value_of("false && job.flag") == "false");
  CHECK(value_of("job.flag && false") == "false");
  CHECK(value_of("true && job.flag") == "unknown job.flag");
  CHECK(value_of("true || job.flag") == "true");
  CHECK(value_of("job.flag ? 1 : 1") == "1");
  CHECK(value_of("job.flag ? 1 : 2") == "unknown job.flag");
  CHECK(value_of("has(job.missing)") == "false");
  CHECK(value_of("has(job.missing) && job.missing > 1") == "false");
  CHECK(value_of("[1, 2].exists(x, x > 1 || job.flag)") == "true");
  CHECK(value_of("1 in [1, 2] || job.missing in [1]") == "true");
  CHECK(value_of("job.mising > 1").find("unknown name 'job.mising'") != std::string::npos);
}

TEST_CASE("units convert within a dimension and refuse each other across") {
  CHECK(value_of("job.memory < 1 TiB") == "true");
  CHECK(value_of("job.memory > 107 GB") == "true");  // 100 GiB are 107.37 GB
  CHECK(value_of("job.memory > 108 GB") == "false");
  CHECK(value_of("job.hours > 72") == "true");
  CHECK(value_of("job.hours > 3 d") == "true");
  CHECK(value_of("job.rate == 10 GB/s") == "true");
  CHECK(value_of("job.memory + 1 TiB") == "1124");
  CHECK(value_of("job.price * job.hours", "USD") == "146");
  CHECK(value_of("job.memory * 2", "TiB") == "0.1953125");
  CHECK(value_of("job.price * job.hours > 145 USD") == "true");
  CHECK(value_of("job.memory + job.hours") == "decision d: value: +: a quantity in s meets one in byte");
  CHECK(value_of("job.price > 2 CNY/h").find("meets one in") != std::string::npos);
  CHECK(value_of("job.flag ? job.memory : job.hours").find("meets one in") != std::string::npos);
}
