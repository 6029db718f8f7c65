// Rule books from outside: are they sound, do their test rows hold, what hangs on what.
#pragma once

#include <string>
#include <vector>

#include <steelyard/issue.hpp>
#include <steelyard/value.hpp>

namespace steelyard {

/// One book of a chain of books that extend each other, and what it did to those below.
struct RuleLayer {
  std::string book;
  int added = 0, replaced = 0, off = 0;  // rules; whole decisions count as one
};

/// What loading a book found. `sound` is false where an issue is an error.
struct RuleBookCheck {
  std::string book;
  bool sound = false;
  int decisions = 0, rules = 0, facts = 0;
  Issues issues;
  std::vector<RuleLayer> layers;  // the lowest first
};

/// What the test rows of a book came to; one issue at each row that fails.
struct RuleBookTests {
  std::string book;
  int passed = 0, failed = 0;
  Issues issues;
};

/// A shipped book ("reference", "field_guide") or a folder of rules.
RuleBookCheck check_rule_book(const std::string& name_or_folder);
/// An unsound book fails with its issues and has no rows.
RuleBookTests test_rule_book(const std::string& name_or_folder);
/// The requirement graph in Graphviz's DOT language: facts and decisions, the four steps as clusters, an arrow from what is needed to what needs it.
Loaded<std::string> rule_book_graph(const std::string& name_or_folder);

Value to_value(const RuleBookCheck& check);
Value to_value(const RuleBookTests& tests);

}  // namespace steelyard
