// What the public header promises of coverage.
#include <steelyard/requests.hpp>

#include "core/entries.hpp"
#include "rules/answers.hpp"
#include "rules/cover/cover.hpp"

namespace steelyard {

RuleBookCover cover_rule_book(const std::string& name_or_folder) {
  RuleBookCover cover;
  const auto book = rules::open_for(name_or_folder, cover);
  if (!book) return cover;
  rules::CoverReport report = rules::cover(*book);
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
  put_place(value, one.where);
  value["kind"] = one.kind;
  value["decision"] = one.decision;
  value["rule"] = one.rule;
  value["message"] = one.message;
  return value;
}

}  // namespace

Value to_value(const RuleBookCover& cover) {
  Value uncovered = Value::list();
  for (const Uncovered& one : cover.uncovered) uncovered.push_back(to_value(one));
  return rules::answer_about(cover, {{"rules", to_value(cover.rules)},
                                     {"outcomes", to_value(cover.outcomes)},
                                     {"ends", to_value(cover.ends)},
                                     {"failed_rows", cover.failed_rows},
                                     {"uncovered", std::move(uncovered)}});
}

}  // namespace steelyard
