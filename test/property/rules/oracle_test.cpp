// Scalar evaluator, column program and a brute-force oracle say the same of every row of random tables.
#include "oracle.hpp"

#include <map>

#include "column_difference.hpp"
#include "random_table.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::rules;

namespace {

constexpr std::size_t rows_a_table = 100;
constexpr int tables = 1000;

Rows rows_of(const Book& book, const std::vector<oracle::Facts>& facts) {
  Rows rows(book, facts.size());
  for (const std::string& name : RandomTable::fact_names()) {
    std::vector<std::optional<Value>> values;
    for (const oracle::Facts& row : facts) {
      const auto found = row.find(name);
      values.push_back(found == row.end() ? std::nullopt : std::optional(found->second));
    }
    rows.values(*book.fact(name), values);
  }
  return rows;
}

std::string described(const std::string& status, const Value& output, const std::set<std::string>& unknown) {
  std::string text = status + " " + to_json(output);
  for (const std::string& name : unknown) text += " " + name;
  return text;
}

// "" or both answers.
std::string difference(const oracle::Answer& expected, const Outcome& outcome) {
  const std::set<std::string> unknown(outcome.unknown.begin(), outcome.unknown.end());
  const std::string status(to_string(outcome.status));
  const bool agree = status == expected.status && oracle::same(outcome.output, expected.output) && unknown == expected.unknown;
  return agree ? ""
               : "engine: " + described(status, outcome.output, unknown) + " " + outcome.error +
                     "; oracle: " + described(expected.status, expected.output, expected.unknown);
}

std::string text_of(const oracle::Facts& facts) {
  Value value = Value::map();
  for (const auto& [name, fact] : facts) value[name] = fact;
  return to_json(value);
}

}  // namespace

TEST_CASE("scalar, columns and a brute-force oracle agree on 100,000 rows of random tables") {
  std::map<std::string, int> seen;
  for (int seed = 1; seed <= tables; ++seed) {
    RandomTable generator(static_cast<std::uint64_t>(seed));
    const oracle::Table table = generator.table();
    const Value file = RandomTable::file(table);
    const auto book = book_of(file);
    INFO("seed " << seed << ": " << to_json(file, 1));
    if (!book) INFO(to_string(book.issues.front()));
    REQUIRE(book);
    std::vector<oracle::Facts> facts;
    for (std::size_t row = 0; row < rows_a_table; ++row) facts.push_back(generator.row());
    const Rows rows = rows_of(*book.value, facts);
    const DecisionId id = *book.value->decision("t");
    std::vector<BatchColumn> columns;
    Batch(rows, {id}).run(columns);
    for (std::size_t row = 0; row < rows_a_table; ++row) {
      Session session = rows.session(row);
      const oracle::Answer expected = oracle::decide(table, facts[row]);
      ++seen[table.policy + " " + expected.status];
      const std::string scalar = difference(expected, session.decide(id)), column = rules::difference(columns[0], row, session, id);
      if (scalar.empty() && column.empty()) continue;
      INFO("row " << text_of(facts[row]) << "\nscalar: " << scalar << "\ncolumn: " << column);
      REQUIRE((scalar.empty() && column.empty()));
    }
  }
  // Every policy met certain and open rows, so that the agreement says something.
  for (const char* policy : {"U", "A", "P", "F", "R", "O", "C", "C+", "C<", "C>", "C#"}) {
    INFO(policy);
    CHECK(seen[std::string(policy) + " decided"] > 500);
    CHECK(seen[std::string(policy) + " undetermined"] > 100);
  }
  CHECK(seen["U failed"] > 100);
  CHECK(seen["A failed"] > 100);
  CHECK(seen["F no_hit"] > 100);
}
