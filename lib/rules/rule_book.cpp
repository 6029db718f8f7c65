// The public header rule_book.hpp.
#include <steelyard/rule_book.hpp>

#include "core/entries.hpp"
#include "rules/book.hpp"
#include "rules/public_outcome.hpp"

namespace steelyard {

Loaded<RuleBook> RuleBook::load(const std::string& name_or_folder, const ModelFunctions& functions, Language language) {
  auto book = rules::open_book(name_or_folder, functions, language);
  if (!book) return {std::nullopt, std::move(book.issues)};
  return {RuleBook(std::make_shared<const rules::Book>(std::move(*book.value))), std::move(book.issues)};
}

Loaded<RuleBook> RuleBook::from_text(std::string text, const std::string& file, const ModelFunctions& functions, Language language) {
  auto document = load::parse_document(std::move(text), file);
  if (!document) return {std::nullopt, std::move(document.issues)};
  auto book = rules::load_book(file, {std::move(*document.value)}, rules::LoadOptions{functions, language});
  if (!book) return {std::nullopt, std::move(book.issues)};
  return {RuleBook(std::make_shared<const rules::Book>(std::move(*book.value))), std::move(book.issues)};
}

const std::string& RuleBook::name() const { return book_->name(); }
std::vector<std::string> RuleBook::decisions() const { return book_->decision_names(); }
std::vector<std::string> RuleBook::facts() const { return book_->fact_names(); }

RuleOutcome RuleBook::decide(const std::string& decision, const Value& facts) const {
  rules::Session session(*book_, facts);
  return rules::public_outcome(session.decide(decision));
}

Value to_value(const RuleOutcome& outcome) {
  Value value;
  value["decision"] = outcome.decision;
  value["status"] = outcome.status;
  value["output"] = outcome.output;
  value["hits"] = Value::list();
  for (const RuleOutcome::Hit& hit : outcome.hits) {
    value["hits"].push_back(
        Value::Map{{"rule", hit.rule}, {"because", hit.because}, {"where", to_string(hit.where)}, {"inputs", hit.inputs}, {"output", hit.output}});
  }
  value["unknown"] = list_of_texts(outcome.unknown);
  put(value, "error", outcome.error);
  return value;
}

LiveRuleBook::LiveRuleBook(std::string name_or_folder, ModelFunctions functions)
    : name_or_folder_(std::move(name_or_folder)),
      functions_(std::move(functions)),
      book_(std::make_shared<const RuleBook>(value_or_throw(RuleBook::load(name_or_folder_, functions_)))) {}

std::shared_ptr<const RuleBook> LiveRuleBook::book() const {
  const std::lock_guard lock(guard_);
  return book_;
}

Issues LiveRuleBook::reload() {
  auto fresh = RuleBook::load(name_or_folder_, functions_);
  if (!fresh) return std::move(fresh.issues);
  auto book = std::make_shared<const RuleBook>(std::move(*fresh.value));
  const std::lock_guard lock(guard_);
  book_.swap(book);  // the old one is let go of outside the lock
  return std::move(fresh.issues);
}

}  // namespace steelyard
