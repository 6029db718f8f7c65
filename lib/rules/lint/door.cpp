// What the public header promises of lint.
#include <steelyard/requests.hpp>

#include "rules/lint/lint.hpp"

namespace steelyard {

RuleBookLint lint_rule_book(const std::string& name_or_folder) {
  Loaded<rules::Book> book = rules::open_book(name_or_folder);
  RuleBookLint lint;
  lint.book = name_or_folder;
  lint.sound = book.value.has_value();
  lint.issues = std::move(book.issues);
  if (!book.value) return lint;
  rules::LintReport report = rules::lint(*book.value);
  lint.findings = std::move(report.findings);
  lint.rules = report.rules;
  lint.allowed = report.allowed;
  lint.partly = report.partly;
  lint.given_up = std::move(report.given_up);
  return lint;
}

namespace {

Value to_list(const std::vector<std::string>& words) {
  Value list = Value::list();
  for (const std::string& word : words) list.push_back(word);
  return list;
}

Value to_value(const RuleFinding& finding) {
  Value value;
  value["file"] = finding.where.file;
  value["line"] = finding.where.line;
  value["column"] = finding.where.column;
  value["code"] = finding.code;
  value["severity"] = finding.severity;
  value["message"] = finding.message;
  value["fix"] = finding.fix;
  value["decision"] = finding.decision;
  value["rules"] = to_list(finding.rules);
  value["witness"] = finding.witness;
  return value;
}

}  // namespace

std::string to_string(const RuleFinding& finding) {
  return to_string(finding.where) + ": " + finding.code + ": " + finding.message + (finding.fix.empty() ? "" : " (" + finding.fix + ")");
}

Value to_value(const RuleBookLint& lint) {
  Value value, findings = Value::list();
  for (const RuleFinding& finding : lint.findings) findings.push_back(to_value(finding));
  value["book"] = lint.book;
  value["sound"] = lint.sound;
  value["findings"] = std::move(findings);
  value["rules"] = lint.rules;
  value["allowed"] = lint.allowed;
  value["partly_analysed"] = lint.partly;
  value["given_up"] = to_list(lint.given_up);
  const Value issues = to_value(lint.issues);
  value["issues"] = *issues.find("issues");
  return value;
}

}  // namespace steelyard
