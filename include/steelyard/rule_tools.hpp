// Tools for people who write rules: the canonical text of a file, what a change of a book changes, what hangs on a fact.
#pragma once

#include <steelyard/decision.hpp>
#include <steelyard/issue.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <vector>

namespace steelyard {

/// The canonical text of a rule file: order of keys, quotes, line breaks. Comments are kept; formatting twice changes nothing more.
Loaded<std::string> format_rule_file(const std::string& text, const std::string& file);

/// A rule (or the expression, inputs, policy and default of a decision) that stands in one of two books only, or in both with another content.
struct RuleChange {
  std::string kind;  // "added" "removed" "changed"
  std::string rule, decision;
  SourceLocation before, after;
};
/// An offer that two books judge differently. `rule` is what decided; the reason is its sentence.
struct VerdictChange {
  struct Side {
    std::string verdict, rule, reason;
  };
  std::string offer;
  Side before, after;
};
struct RuleBookDiff {
  std::string before, after;
  std::vector<RuleChange> rules;
  std::vector<VerdictChange> offers;
  std::size_t offers_compared = 0;
};
/// The rules of two books (names or folders) side by side.
Loaded<RuleBookDiff> diff_rule_books(const std::string& before, const std::string& after);
/// Adds the offers whose verdict differs between two decisions about one job and catalog.
void compare_decisions(const Decision& before, const Decision& after, RuleBookDiff& diff);

/// What changes when a fact, or the result of a decision, changes.
struct RuleImpact {
  struct Affected {
    std::string decision, step;
    bool direct = false;               // it reads the fact itself
    std::vector<std::string> rules;    // those that read something affected
    std::vector<std::string> through;  // affected facts and decisions that it reads
  };
  std::string book, name;
  std::vector<Affected> decisions;  // in the order in which they are decided
  std::vector<std::string> steps;   // of those decisions, sorted
};
/// An unknown name is an issue with the nearest one.
Loaded<RuleImpact> rule_impact(const std::string& book, const std::string& name);

/// A decision of a book in words.
struct ListedDecision {
  struct Rule {
    std::string id, when, then;
    std::string code;  // a reject or warning code, where it is written out
    std::string because, source;
    SourceLocation where;
  };
  std::string id, step, about, policy, source;
  std::vector<std::string> needs;  // facts and decisions that it looks at
  std::vector<Rule> rules;
  SourceLocation where;
};
/// All of a book (name or folder), each decision behind what it needs.
Loaded<std::vector<ListedDecision>> list_rules(const std::string& book);
Value to_value(const ListedDecision& decision);

Value to_value(const RuleBookDiff& diff);
Value to_value(const RuleImpact& impact);

}  // namespace steelyard
