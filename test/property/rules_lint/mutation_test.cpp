// Lint finds every seeded fault with its code and its rules, and nothing in tables without faults; what it says is what the engine does.
#include <functional>

#include "random_table.hpp"
#include "rules/lint/lint.hpp"
#include "support/catch.hpp"
#include "unit/rules/book_text.hpp"

using namespace steelyard;
using namespace steelyard::rules;

namespace {

std::string lines_of(const std::vector<RuleFinding>& findings) {
  std::string text;
  for (const RuleFinding& finding : findings) text += to_string(finding) + "\n";
  return text;
}

// A fault that was put into a table, and how lint has to name it.
struct Fault {
  std::string code;
  std::vector<std::string> rules;   // all of them must be named
  Status status = Status::decided;  // what the engine says of the witness; decided: is not asked
};

using Mutation = std::function<std::optional<Fault>(TableSpec&, Random&)>;

// Where a rule has an end at a number; -1: nowhere.
int column_with(const RuleSpec& rule, bool low) {
  for (std::size_t at = 0; at < rule.cells.size(); ++at) {
    if (low ? rule.cells[at].low.has_value() : rule.cells[at].high.has_value()) return static_cast<int>(at);
  }
  return -1;
}

std::optional<Fault> gap(TableSpec& table, Random& random) {
  table.rules.erase(table.rules.begin() + random.below(static_cast<int>(table.rules.size())));
  return Fault{"gap", {}, Status::no_hit};
}

std::optional<Fault> overlap(TableSpec& table, Random& random) {
  table.policy = random.chance(50) ? "unique" : "any";
  RuleSpec& rule = table.rules[static_cast<std::size_t>(random.below(static_cast<int>(table.rules.size())))];
  if (const int at = column_with(rule, false); at >= 0) {
    *rule.cells[static_cast<std::size_t>(at)].high += 2;
    return Fault{"overlap", {rule.id}, Status::failed};
  }
  for (CellSpec& cell : rule.cells) {
    if (cell.words.empty()) continue;
    for (const std::string& word : all_words) {
      if (std::find(cell.words.begin(), cell.words.end(), word) == cell.words.end()) {
        cell.words.push_back(word);
        return Fault{"overlap", {rule.id}, Status::failed};
      }
    }
  }
  return std::nullopt;
}

std::optional<Fault> shadow(TableSpec& table, Random& random) {
  table.policy = "first";
  RuleSpec rule = table.rules[static_cast<std::size_t>(random.below(static_cast<int>(table.rules.size())))];
  const int at = column_with(rule, false);
  if (at < 0) return std::nullopt;
  CellSpec& cell = rule.cells[static_cast<std::size_t>(at)];
  const std::string by = rule.id;
  *cell.high -= 1;
  if (cell.low && *cell.low >= *cell.high) return std::nullopt;
  rule.id = "d.late";
  rule.output = 99;
  table.rules.push_back(rule);
  return Fault{"shadowed", {"d.late", by}};
}

std::optional<Fault> repeat(TableSpec& table, Random& random, bool same) {
  RuleSpec rule = table.rules[static_cast<std::size_t>(random.below(static_cast<int>(table.rules.size())))];
  const std::string first = rule.id;
  rule.id = "d.again";
  if (!same) rule.output = 99;
  table.rules.insert(table.rules.begin() + random.below(static_cast<int>(table.rules.size()) + 1), rule);
  const bool fails = !same && table.policy != "first";
  return Fault{same ? "duplicate" : "contradiction", {first, rule.id}, fails ? Status::failed : Status::decided};
}

std::optional<Fault> end_left_out(TableSpec& table, Random& random) {
  RuleSpec& rule = table.rules[static_cast<std::size_t>(random.below(static_cast<int>(table.rules.size())))];
  const int at = column_with(rule, true);
  if (at < 0) return std::nullopt;
  rule.cells[static_cast<std::size_t>(at)].low_open = true;
  return Fault{"off_by_one", {rule.id}, Status::no_hit};
}

std::optional<Fault> end_shared(TableSpec& table, Random& random) {
  table.policy = random.chance(50) ? "unique" : "any";
  RuleSpec& rule = table.rules[static_cast<std::size_t>(random.below(static_cast<int>(table.rules.size())))];
  const int at = column_with(rule, false);
  if (at < 0) return std::nullopt;
  rule.cells[static_cast<std::size_t>(at)].high_closed = true;
  return Fault{"off_by_one", {rule.id}, Status::failed};
}

std::optional<Fault> unused(TableSpec& table, Random& random) {
  switch (random.below(3)) {
    case 0: table.more_facts = "  - {name: job.spare, type: number}\n"; return Fault{"unused_fact", {}};
    case 1:
      table.more_inputs = ", spare: " + table.columns[0].fact;
      for (RuleSpec& rule : table.rules) rule.cells.resize(rule.cells.size());
      return Fault{"unused_input", {}};
    default: break;
  }
  table.more_decisions = "  - {id: spare, value: " + table.columns[0].fact + ", because: \"1 {spare}\"}\n";
  return Fault{"unused_decision", {}};
}

std::optional<Fault> no_unit(TableSpec& table, Random& random) {
  RuleSpec& rule = table.rules[static_cast<std::size_t>(random.below(static_cast<int>(table.rules.size())))];
  for (std::size_t at = 0; at < rule.cells.size(); ++at) {
    CellSpec& cell = rule.cells[at];
    const bool figure = cell.low.value_or(0) != 0 || cell.high.value_or(0) != 0;
    if (table.columns[at].kind != ColumnSpec::Kind::quantity || !figure) continue;
    cell.bare = true;
    return Fault{"missing_unit", {rule.id}};
  }
  return std::nullopt;
}

bool names(const RuleFinding& finding, const Fault& fault) {
  return finding.code == fault.code && std::all_of(fault.rules.begin(), fault.rules.end(), [&](const std::string& rule) {
           return std::find(finding.rules.begin(), finding.rules.end(), rule) != finding.rules.end();
         });
}

// What the engine makes of the row that lint names.
Status decided(const Book& book, const TableSpec& table, const Value& witness) {
  Session session(book);
  for (const auto& [name, value] : witness.as_map()) {
    const auto at = static_cast<std::size_t>(std::stoi(name.substr(1)));
    session.set(table.columns[at].fact, value);
  }
  return session.decide("d").status;
}

}  // namespace

TEST_CASE("tables without faults have no findings") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const TableSpec table = RandomTable(seed).make();
    INFO("seed " << seed << "\n" << table.text());
    const auto book = book_of(table.text());
    INFO(issues_of(book.issues));
    REQUIRE(book);
    const LintReport report = lint(*book.value);
    INFO(lines_of(report.findings));
    CHECK(report.findings.empty());
    CHECK(report.partly == 0);
    CHECK(report.given_up.empty());
    CHECK(report.rules == static_cast<int>(table.rules.size()));
  }
}

TEST_CASE("seeded faults are found") {
  const std::vector<std::pair<std::string, Mutation>> kinds{
      {"gap", gap},
      {"overlap", overlap},
      {"shadow", shadow},
      {"duplicate", [](TableSpec& table, Random& random) { return repeat(table, random, true); }},
      {"contradiction", [](TableSpec& table, Random& random) { return repeat(table, random, false); }},
      {"off by one", [](TableSpec& table, Random& random) { return random.chance(50) ? end_left_out(table, random) : end_shared(table, random); }},
      {"unused", unused},
      {"missing unit", no_unit},
  };
  constexpr int of_each = 25;
  for (const auto& [kind, mutate] : kinds) {
    int made = 0;
    for (std::uint64_t seed = 1000; made < of_each; ++seed) {
      REQUIRE(seed < 1400);
      RandomTable generator(seed);
      TableSpec table = generator.make();
      const auto fault = mutate(table, generator.random());
      if (!fault) continue;  // this table has no place for it
      ++made;
      INFO(kind << ", seed " << seed << "\n" << table.text());
      const auto book = book_of(table.text());
      INFO(issues_of(book.issues));
      REQUIRE(book);
      const std::vector<RuleFinding> findings = lint(*book.value).findings;
      INFO(lines_of(findings));
      REQUIRE(!findings.empty());
      bool named = false;
      for (const RuleFinding& finding : findings) {
        CHECK(finding.code == fault->code);  // nothing on top
        CHECK(finding.where.line > 0);
        named = named || names(finding, *fault);
        if (fault->status != Status::decided) CHECK(decided(*book.value, table, finding.witness) == fault->status);
      }
      CHECK(named);
    }
  }
}
