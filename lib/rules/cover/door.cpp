// What the public header promises of coverage.
#include <steelyard/requests.hpp>

#include "rules/cover/cover.hpp"

namespace steelyard {

RuleBookCover cover_rule_book(const std::string& name_or_folder) {
  Loaded<rules::Book> book = rules::open_book(name_or_folder);
  RuleBookCover cover;
  cover.book = name_or_folder;
  cover.sound = book.value.has_value();
  cover.issues = std::move(book.issues);
  if (!book.value) return cover;
  rules::CoverReport report = rules::cover(*book.value);
  cover.rules = report.rules;
  cover.outcomes = report.outcomes;
  cover.ends = report.ends;
  cover.uncovered = std::move(report.uncovered);
  cover.failed_rows = report.failed_rows;
  return cover;
}

namespace {

Value to_value(const CoverCount& count) {
  Value value;
  value["covered"] = count.covered;
  value["total"] = count.total;
  value["percent"] = count.percent();
  return value;
}

Value to_value(const Uncovered& one) {
  Value value;
  value["file"] = one.where.file;
  value["line"] = one.where.line;
  value["column"] = one.where.column;
  value["kind"] = one.kind;
  value["decision"] = one.decision;
  value["rule"] = one.rule;
  value["message"] = one.message;
  return value;
}

}  // namespace

Value to_value(const RuleBookCover& cover) {
  Value value, uncovered = Value::list();
  for (const Uncovered& one : cover.uncovered) uncovered.push_back(to_value(one));
  value["book"] = cover.book;
  value["sound"] = cover.sound;
  value["rules"] = to_value(cover.rules);
  value["outcomes"] = to_value(cover.outcomes);
  value["ends"] = to_value(cover.ends);
  value["failed_rows"] = cover.failed_rows;
  value["uncovered"] = std::move(uncovered);
  const Value issues = to_value(cover.issues);
  value["issues"] = *issues.find("issues");
  return value;
}

}  // namespace steelyard
