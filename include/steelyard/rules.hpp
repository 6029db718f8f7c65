// Rule books from outside: are they sound, do their test rows hold, what hangs on what.
#pragma once

#include <steelyard/issue.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <vector>

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

/// One finding of the static analysis of a book; docs/reference/rules_lint.md lists the codes.
struct RuleFinding {
  SourceLocation where;
  std::string code;      // "gap", "overlap" ...
  std::string severity;  // "error": the table gives no or two answers; "warning": probably not what was meant
  std::string message, fix;
  std::string decision;            // may be empty (a fact that nothing uses)
  std::vector<std::string> rules;  // ids of the rules in question
  Value witness;                   // null, or values of inputs that show it: name -> value; inputs that are not known are left out
};

/// `allowed`: findings that the book says are meant to be. `partly`: rules with conditions that are not analysed; they may apply anywhere.
/// `given_up`: decisions whose analysis would take too long.
struct RuleBookLint {
  std::string book;
  bool sound = false;  // an unsound book is not analysed: `issues` say why
  std::vector<RuleFinding> findings;
  int rules = 0, allowed = 0, partly = 0;
  std::vector<std::string> given_up;
  Issues issues;
};

/// How many of something test rows reach.
struct CoverCount {
  int covered = 0, total = 0;

  void count(bool is_covered) {
    ++total;
    covered += is_covered ? 1 : 0;
  }
  double percent() const { return total == 0 ? 100.0 : 100.0 * covered / total; }
};

/// Something that no test row reaches. `kind`: "rule", "outcome" (an output of a decision), "end" (a number at which an interval begins or ends).
struct Uncovered {
  SourceLocation where;
  std::string kind, decision, rule, message;
};

/// Rows that do not hold reach nothing; `failed_rows` counts them.
struct RuleBookCover {
  std::string book;
  bool sound = false;  // an unsound book has no rows: `issues` say why
  CoverCount rules, outcomes, ends;
  std::vector<Uncovered> uncovered;
  int failed_rows = 0;
  Issues issues;
};

/// A shipped book ("reference", "field_guide"), a folder of rules or a single file.
RuleBookCheck check_rule_book(const std::string& name_or_folder);
/// An unsound book fails with its issues and has no rows.
RuleBookTests test_rule_book(const std::string& name_or_folder);
/// Gaps, overlaps, rules that never apply, and the like, found without running anything.
RuleBookLint lint_rule_book(const std::string& name_or_folder);
/// What the test rows beside the tables reach.
RuleBookCover cover_rule_book(const std::string& name_or_folder);
/// The requirement graph in Graphviz's DOT language: facts and decisions, the four steps as clusters, an arrow from what is needed to what needs it.
Loaded<std::string> rule_book_graph(const std::string& name_or_folder);

Value to_value(const RuleBookCheck& check);
Value to_value(const RuleBookTests& tests);
Value to_value(const RuleBookLint& lint);
Value to_value(const RuleBookCover& cover);
/// "file:line:column: code: message (fix)".
std::string to_string(const RuleFinding& finding);

}  // namespace steelyard
