#include <algorithm>
#include <steelyard/lint.hpp>

#include "catalog/import/formats.hpp"
#include "catalog/inputs.hpp"
#include "catalog/lint/checks.hpp"
#include "catalog/lint/lint_facts.hpp"
#include "catalog/loaders.hpp"
#include "catalog/offers.hpp"
#include "core/text.hpp"
#include "load/node.hpp"

namespace steelyard {

namespace catalog {

void Report::add(const char* code, int line, std::string message, std::string fix) {
  Finding finding;
  finding.where = {list_.file, line, 1};
  finding.code = code;
  const auto found = lint_facts().severity.find(code);
  finding.severity = found == lint_facts().severity.end() ? "warning" : found->second;
  finding.message = std::move(message);
  finding.fix = std::move(fix);
  findings_.push_back(std::move(finding));
}

namespace {

std::vector<Finding> lint_price_list(const PriceList& list, std::string_view text, const Date& today, const Catalog& facts) {
  std::vector<Finding> findings;
  Report report(list, findings);
  check_rows(list, report);
  check_memory(list, facts, report);
  check_boards(list, report);
  check_prices(list, today, report);
  check_dominance(list, text, facts, report);
  return findings;
}

/// The reader of a file of our own kinds, by the keys at its top; a workload where nothing says otherwise.
Issues read_own(const load::Document& document, const Catalog& facts) {
  const load::Node& root = document.root;
  if (root.find("offers")) return load_offer_file(document, facts).issues;
  if (root.find("boards")) return load_boards(document).issues;
  if (root.find("models")) return load_models(document).issues;
  if (root.find("usd_per_unit")) return load_rates(document).issues;
  if (root.find("gpu") && !root.find("task")) return load_configuration(document, facts).issues;
  return load_workload(document, facts).issues;
}

/// A table by its name: nothing else would be meant as a file of our own kinds.
bool is_table(const std::string& name) {
  const std::string lower = to_lower(name);
  return lower.ends_with(".csv") || lower.ends_with(".tsv");
}

std::vector<Finding> lint_own(std::string_view text, const std::string& name, const Catalog& facts) {
  if (is_table(name)) {
    Issue issue = unknown_format(text, name);
    return {{issue.where, "format_unknown", "error", std::move(issue.message), std::move(issue.fix)}};
  }
  const auto document = load::parse_document(std::string(text), name);
  std::vector<Finding> findings;
  for (const Issue& issue : document ? read_own(*document.value, facts) : document.issues) {
    const SourceLocation where{issue.where.file, std::max(1, issue.where.line), std::max(1, issue.where.column)};
    findings.push_back({where, "input", issue.severity == Severity::error ? "error" : "warning", issue.message, issue.fix});
  }
  return findings;
}

}  // namespace

}  // namespace catalog

std::vector<Finding> lint_text(std::string_view text, const std::string& name, const Date& today, const Catalog& facts) {
  const catalog::PriceList list = catalog::read_price_list(text, name, facts);
  auto findings = list.format.empty() ? catalog::lint_own(text, name, facts) : catalog::lint_price_list(list, text, today, facts);
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& one, const Finding& other) { return one.where.line < other.where.line; });
  return findings;
}

std::string to_string(const Finding& finding) { return to_string(finding.where) + ": " + finding.code + ": " + finding.message; }

Value to_value(const Finding& finding) {
  Value map = Value::map();
  map["file"] = finding.where.file;
  map["line"] = finding.where.line;
  map["column"] = finding.where.column;
  map["code"] = finding.code;
  map["severity"] = finding.severity;
  map["message"] = finding.message;
  if (!finding.fix.empty()) map["fix"] = finding.fix;
  return map;
}

}  // namespace steelyard
