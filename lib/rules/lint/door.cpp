// What the public header promises of lint.
#include <steelyard/requests.hpp>

#include "core/entries.hpp"
#include "rules/answers.hpp"
#include "rules/lint/lint.hpp"

namespace steelyard {

RuleBookLint lint_rule_book(const std::string& name_or_folder) {
  RuleBookLint lint;
  const auto book = rules::open_for(name_or_folder, lint);
  if (!book) return lint;
  rules::LintReport report = rules::lint(*book);
  lint.findings = std::move(report.findings);
  lint.rules = report.rules;
  lint.allowed = report.allowed;
  lint.partly = report.partly;
  lint.given_up = std::move(report.given_up);
  return lint;
}

namespace {

Value to_value(const RuleFinding& finding) {
  Value value;
  put_place(value, finding.where);
  value["code"] = finding.code;
  value["severity"] = finding.severity;
  value["message"] = finding.message;
  value["fix"] = finding.fix;
  value["decision"] = finding.decision;
  value["rules"] = list_of_texts(finding.rules);
  value["witness"] = finding.witness;
  return value;
}

}  // namespace

std::string to_string(const RuleFinding& finding) {
  return to_string(finding.where) + ": " + finding.code + ": " + finding.message + (finding.fix.empty() ? "" : " (" + finding.fix + ")");
}

Value to_value(const RuleBookLint& lint) {
  Value findings = Value::list();
  for (const RuleFinding& finding : lint.findings) findings.push_back(to_value(finding));
  return rules::answer_about(lint, {{"findings", std::move(findings)},
                                    {"rules", lint.rules},
                                    {"allowed", lint.allowed},
                                    {"partly_analysed", lint.partly},
                                    {"given_up", list_of_texts(lint.given_up)}});
}

}  // namespace steelyard
