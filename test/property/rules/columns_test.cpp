// What the column program says of a row is what the scalar evaluator says, whatever the instruction set.
#include "column_difference.hpp"
#include "random_book.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::rules;

namespace {

constexpr std::size_t rows_a_book = 150;

Rows random_rows(const Book& book, RandomBook& generator) {
  Rows rows(book, rows_a_book);
  for (const std::string& name : book.fact_names()) {
    const FactId fact = *book.fact(name);
    if (generator.random().chance(15)) {
      if (const auto value = generator.fact_value(name)) rows.constant(fact, *value);
      continue;
    }
    std::vector<std::optional<Value>> values;
    for (std::size_t row = 0; row < rows_a_book; ++row) values.push_back(generator.fact_value(name));
    if (generator.random().chance(50)) {  // complete columns take other ways than columns with holes
      for (auto& value : values) {
        while (!value || value->is_null()) value = generator.fact_value(name);
      }
    }
    rows.values(fact, values);
  }
  return rows;
}

}  // namespace

TEST_CASE("columns and scalars agree on random books and rows") {
  std::size_t compiled = 0, decisions = 0, books = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    RandomBook generator(seed);
    const Value text = generator.make(6);
    const auto book = book_of(text);
    INFO("seed " << seed);
    if (!book) continue;  // compares a text with a word that its decision never gives: a fault of the book
    ++books;
    const Rows rows = random_rows(*book.value, generator);
    std::vector<DecisionId> wanted;
    for (const std::string& name : book.value->decision_names()) wanted.push_back(*book.value->decision(name));
    std::vector<Session> sessions;
    for (std::size_t row = 0; row < rows.count(); ++row) sessions.push_back(rows.session(row));
    for (const InstructionSet set : {InstructionSet::plain, InstructionSet::avx2, InstructionSet::avx512}) {
      const Batch batch(rows, wanted, set);
      std::vector<BatchColumn> columns;
      batch.run(columns);
      compiled += batch.compiled_decisions();
      decisions += wanted.size();
      for (std::size_t at = 0; at < wanted.size(); ++at) {
        for (std::size_t row = 0; row < rows.count(); ++row) {
          const std::string problem = difference(columns[at], row, sessions[row], wanted[at]);
          if (problem.empty()) continue;
          INFO("set " << kernels(set).name << ", decision " << book.value->decision_names()[at] << ", row " << row << ": " << problem);
          INFO(to_json(text, 1));
          REQUIRE(problem.empty());
        }
      }
    }
  }
  CHECK(books > 200);
  CHECK(compiled > decisions / 3);  // the test would say little if all went row by row
}
