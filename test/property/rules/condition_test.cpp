// A condition is read term by term where a rule is asked, and as a tree where a decision is an expression: both must say the same.
#include <vector>

#include "../../unit/rules/book_text.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::rules;

namespace {

const char* const conditions[] = {
    "f.on",
    "!f.on",
    "has(f.on)",
    "!has(f.on)",
    "f.size < 2",
    "f.size >= 2 && f.on",
    "has(f.size) && f.size == 1 && !f.on",
    "f.on && (f.size != 1 && f.word == 'a')",
    "(f.on || f.size > 1) && !has(f.word)",
    "f.word == 'a' && f.size <= 1 && f.on",
    "!f.on && f.size + 1 > 2",
    "1 / (f.size - 1) > 0 && f.on",
    "!(f.on && has(f.word)) && f.size > 0",
    "2 > f.size && f.other.size > f.size",
};

std::string book_text(const std::string& condition) {
  return "facts:\n  - {name: f.on, type: bool}\n  - {name: f.size, type: number}\n  - {name: f.word, type: string}\n"
         "  - {name: f.other.size, type: number}\n"
         "decisions:\n  - id: network.tree\n    value: \"" +
         condition +
         "\"\n    because: tree\n"
         "  - id: network.terms\n    hit_policy: first\n    rules:\n      - {id: network.terms.one, when: \"" +
         condition + "\", then: 1, because: terms}\n";
}

// Every way in which the facts may be known, unknown, or not applicable.
std::vector<Value> all_facts() {
  const Value nothing;
  const std::vector<std::optional<Value>> on = {std::nullopt, nothing, Value(true), Value(false)},
                                          size = {std::nullopt, nothing, Value(1), Value(1.5), Value(3)},
                                          word = {std::nullopt, nothing, Value("a"), Value("b")}, other = {std::nullopt, Value(2)};
  std::vector<Value> all;
  const auto put = [](Value& facts, const char* name, const std::optional<Value>& value) {
    if (value) facts[name] = *value;
  };
  for (const auto& one : on) {
    for (const auto& two : size) {
      for (const auto& three : word) {
        for (const auto& four : other) {
          Value facts = Value::map();
          put(facts, "on", one);
          put(facts, "size", two);
          put(facts, "word", three);
          if (four) facts["other"]["size"] = *four;
          all.push_back(facts);
        }
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("the terms of a condition say what its tree says, whatever is known") {
  std::size_t decided = 0, open = 0, failed = 0;
  for (const char* condition : conditions) {
    const auto book = book_of(book_text(condition));
    INFO(condition << "\n" << issues_of(book.issues));
    REQUIRE(book);
    Session session(*book.value);
    const DecisionId tree = *book.value->decision("network.tree"), terms = *book.value->decision("network.terms");
    for (const Value& facts : all_facts()) {
      INFO(to_json(facts));
      Value all;
      all["f"] = facts;
      session.reset(all);
      const Status status = session.status(tree);
      const auto truth = session.flag(tree);
      if (status == Status::decided && truth) {
        ++decided;
        CHECK(session.status(terms) == (*truth ? Status::decided : Status::no_hit));
      } else if (status == Status::undetermined) {
        ++open;
        CHECK(session.status(terms) == Status::undetermined);
        CHECK(session.decide(terms).unknown == session.decide(tree).unknown);
      } else {  // an error, or null: no condition
        ++failed;
        CHECK(session.status(terms) == Status::failed);
      }
    }
  }
  CHECK(decided > 500);
  CHECK(open > 200);
  CHECK(failed > 50);
}
