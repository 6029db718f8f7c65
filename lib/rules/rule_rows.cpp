// The public header rule_rows.hpp.
#include <stdexcept>
#include <steelyard/rule_rows.hpp>

#include "core/text.hpp"
#include "rules/batch.hpp"
#include "rules/book.hpp"
#include "rules/columns/fact_column.hpp"
#include "rules/public_outcome.hpp"

namespace steelyard {

namespace {

[[noreturn]] void stop(const std::string& place, std::string message, std::string fix) {
  throw LoadError({Issue{Severity::error, {place, 0, 0}, std::move(message), std::move(fix), {}}});
}

[[noreturn]] void stop_unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& known) {
  const auto near = nearest_words(name, known);
  stop(name, "no such " + kind + " in the book", near.empty() ? "RuleBook::" + kind + "s() lists them" : "did you mean " + join(near, ", ") + "?");
}

rules::FactId fact_of(const rules::Rows& rows, const std::string& name) {
  const rules::Book& book = rows.book();
  const auto fact = book.fact(name);
  if (!fact || fact->slot >= book.data().first_decision()) stop_unknown("fact", name, book.fact_names());
  return *fact;
}

void check_kind(const rules::Rows& rows, rules::FactId fact, rules::Type type) {
  const rules::FactData& declared = rows.book().data().facts[static_cast<std::size_t>(fact.slot)];
  if (declared.type == type || declared.type == rules::Type::any) return;
  const auto word = [](rules::Type one) { return std::string(rules::type_name(one)); };
  stop(declared.name, "expected a " + word(declared.type) + " in every row, found " + word(type) + "s", "give values of the fact's kind");
}

void check_count(const rules::Rows& rows, const std::string& name, std::size_t count) {
  if (count == rows.count()) return;
  stop(name, "expected " + std::to_string(rows.count()) + " values, one a row, found " + std::to_string(count), "give one value for each row");
}

rules::FactId checked(const rules::Rows& rows, const std::string& name, rules::Type type, std::size_t count) {
  const rules::FactId fact = fact_of(rows, name);
  check_count(rows, name, count);
  check_kind(rows, fact, type);
  return fact;
}

void check_value(const rules::Rows& rows, rules::FactId fact, const Value& value) {
  const rules::FactData& declared = rows.book().data().facts[static_cast<std::size_t>(fact.slot)];
  if (value.is_null() || rules::fits(declared.type, value)) return;
  stop(declared.name, "expected a " + std::string(rules::type_name(declared.type)) + ", found " + to_json(value), "give a value of the fact's kind");
}

rules::DecisionId decision_of(const rules::Book& book, const std::string& name) {
  const auto decision = book.decision(name);
  if (!decision) stop_unknown("decision", name, book.decision_names());
  return *decision;
}

RuleColumn public_column(const rules::BookData& book, rules::DecisionId id, rules::BatchColumn& found, std::size_t count) {
  const rules::DecisionData& decision = book.decisions[static_cast<std::size_t>(id.index)];
  RuleColumn column;
  column.decision = decision.id;
  column.status.assign(count, static_cast<std::uint8_t>(rules::Status::decided));
  if (!found.codes.empty()) {
    for (const rules::RuleData& rule : decision.rules) column.rules.push_back(rule.id);
    column.rule.resize(count);
    for (std::size_t row = 0; row < count; ++row) {
      const bool hit = found.codes[row] < found.rules;
      column.rule[row] = hit ? static_cast<std::int32_t>(found.codes[row]) : -1;
      if (!hit && !found.has_default) column.status[row] = static_cast<std::uint8_t>(rules::Status::no_hit);
    }
  }
  for (const rules::BatchColumn::Exception& one : found.exceptions) column.status[one.row] = static_cast<std::uint8_t>(one.status);
  column.numbers.assign(found.numbers.begin(), found.numbers.end());
  return column;
}

}  // namespace

RuleRows::RuleRows(const RuleBook& book, std::size_t count) : rows_(std::make_unique<rules::Rows>(book.book(), count)) {}
RuleRows::RuleRows(RuleRows&&) noexcept = default;
RuleRows& RuleRows::operator=(RuleRows&&) noexcept = default;
RuleRows::~RuleRows() = default;

std::size_t RuleRows::count() const { return rows_->count(); }

void RuleRows::constant(const std::string& fact, const Value& value) {
  const rules::FactId id = fact_of(*rows_, fact);
  check_value(*rows_, id, value);
  rows_->constant(id, value);
}

void RuleRows::numbers(const std::string& fact, std::span<const double> values) {
  rows_->numbers(checked(*rows_, fact, rules::Type::number, values.size()), values);
}

void RuleRows::flags(const std::string& fact, std::span<const std::uint8_t> values) {
  rows_->flags(checked(*rows_, fact, rules::Type::boolean, values.size()), values);
}

void RuleRows::texts(const std::string& fact, std::span<const std::string> values) {
  rows_->texts(checked(*rows_, fact, rules::Type::text, values.size()), values);
}

void RuleRows::values(const std::string& fact, const std::vector<std::optional<Value>>& values) {
  const rules::FactId id = fact_of(*rows_, fact);
  check_count(*rows_, fact, values.size());
  for (const auto& value : values) {
    if (value) check_value(*rows_, id, *value);
  }
  rows_->values(id, values);
}

std::vector<RuleColumn> RuleRows::decide(const std::vector<std::string>& decisions) const {
  const rules::Book& book = rows_->book();
  std::vector<rules::DecisionId> wanted;
  for (const std::string& decision : decisions) wanted.push_back(decision_of(book, decision));
  std::vector<rules::BatchColumn> found;
  rules::Batch(*rows_, wanted).run(found);
  std::vector<RuleColumn> columns;
  for (std::size_t at = 0; at < wanted.size(); ++at) columns.push_back(public_column(book.data(), wanted[at], found[at], rows_->count()));
  return columns;
}

RuleOutcome RuleRows::outcome(const std::string& decision, std::size_t row) const {
  const rules::DecisionId id = decision_of(rows_->book(), decision);
  if (row >= rows_->count()) throw std::out_of_range("row " + std::to_string(row) + " of " + std::to_string(rows_->count()));
  rules::Session session = rows_->session(row);
  return rules::public_outcome(session.decide(id));
}

}  // namespace steelyard
