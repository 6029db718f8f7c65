#include "rules/lint/lint.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "rules/lint/checks.hpp"

namespace steelyard::rules {

namespace {

using analysis::Findings;

void check_table(const BookData& book, const DecisionData& decision, Findings& findings, std::vector<bool>& dead, LintReport& report) {
  analysis::Table table = analysis::make_table(book, decision);
  analysis::read_rows(table);
  for (const analysis::TableRule& rule : table.rules) report.partly += rule.opaque || rule.too_large ? 1 : 0;
  report.rules += table.rule_count();
  const std::size_t before = findings.list.size();
  analysis::check_conditions(table, findings, dead);
  analysis::check_equal_rules(table, findings, dead);
  analysis::check_shadows(table, findings, dead);
  analysis::check_default(table, findings);
  analysis::check_gaps(table, findings);
  analysis::check_overlaps(table, findings);
  analysis::check_ends(table, findings);
  analysis::check_units(book, decision, findings);
  for (std::size_t at = before; at < findings.list.size(); ++at) findings.list[at].decision = decision.id;
}

// Findings that the book allows, and allowances that nothing needs.
class Allowances {
 public:
  explicit Allowances(const BookData& book) {
    for (const FactData& fact : book.facts) add(fact.lint, "fact " + fact.name, {});
    for (const DecisionData& decision : book.decisions) {
      add(decision.lint, "decision " + decision.id, decision.id);
      for (const RuleData& rule : decision.rules) {
        if (decision.policy != HitPolicy::expression) add(rule.lint, "rule " + rule.id, rule.id);
      }
    }
    for (const FactData& fact : book.facts) places_.emplace_back(fact.where, fact.name);
  }

  bool allow(const RuleFinding& finding) {
    bool allowed = false;
    for (Entry& entry : entries_) {
      const bool here = !entry.id.empty() &&
                        (entry.id == finding.decision || std::find(finding.rules.begin(), finding.rules.end(), entry.id) != finding.rules.end());
      if (entry.code != finding.code || !(here || (entry.id.empty() && names_fact(finding, entry.owner)))) continue;
      entry.used = allowed = true;
    }
    return allowed;
  }

  void report_unused(Findings& findings) const {
    for (const Entry& entry : entries_) {
      if (!entry.used)
        findings.add("unused_allowance", entry.where, entry.owner + ": allows " + entry.code + ", and there is no such finding", "take the code out");
    }
  }

 private:
  struct Entry {
    std::string code, owner, id;
    SourceLocation where;
    bool used = false;
  };

  void add(const Allowance& allowance, const std::string& owner, const std::string& id) {
    for (const std::string& code : allowance.codes) entries_.push_back({code, owner, id, allowance.where, false});
  }

  bool names_fact(const RuleFinding& finding, const std::string& owner) const {
    return std::any_of(places_.begin(), places_.end(),
                       [&](const auto& place) { return place.first == finding.where && "fact " + place.second == owner; });
  }

  std::vector<Entry> entries_;
  std::vector<std::pair<SourceLocation, std::string>> places_;
};

}  // namespace

LintReport lint(const Book& book) {
  const BookData& data = book.data();
  LintReport report;
  Findings findings;
  analysis::Reach reach;
  for (const DecisionData& decision : data.decisions) {
    reach.dead.emplace_back(decision.rules.size(), false);
    if (decision.policy == HitPolicy::expression) {
      analysis::check_units(data, decision, findings);
      continue;
    }
    check_table(data, decision, findings, reach.dead.back(), report);
  }
  analysis::check_use(data, reach, findings);
  Allowances allowances(data);
  report.allowed = static_cast<int>(std::erase_if(findings.list, [&](const RuleFinding& finding) { return allowances.allow(finding); }));
  allowances.report_unused(findings);
  std::stable_sort(findings.list.begin(), findings.list.end(), [](const RuleFinding& one, const RuleFinding& other) {
    return std::tie(one.where.file, one.where.line, one.where.column) < std::tie(other.where.file, other.where.line, other.where.column);
  });
  report.findings = std::move(findings.list);
  report.given_up = std::move(findings.given_up);
  return report;
}

}  // namespace steelyard::rules
