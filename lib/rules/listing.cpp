// What a book consists of, for readers: its decisions and rules in words.
#include <steelyard/rule_tools.hpp>

#include "core/entries.hpp"
#include "rules/book.hpp"

namespace steelyard {

namespace {

using rules::DecisionData;
using rules::RuleData;

std::string text_of(const rules::OutputData& output) {
  std::string text;
  for (const auto& field : output.fields) {
    if (!text.empty()) text += ", ";
    text += (field.name.empty() ? "" : field.name + ": ") + field.expression.text;
  }
  return text;
}

std::string condition_of(const DecisionData& decision, const RuleData& rule) {
  if (rule.condition) return rule.condition->text;
  std::string text;
  for (std::size_t at = 0; at < rule.cells.size() && at < decision.inputs.size(); ++at) {
    if (rule.cells[at].any) continue;
    if (!text.empty()) text += "; ";
    text += decision.inputs[at].name + " " + rule.cells[at].text;
  }
  return text.empty() ? "always" : text;
}

ListedDecision listed(const rules::Book& book, int index) {
  const DecisionData& decision = book.data().decisions[static_cast<std::size_t>(index)];
  ListedDecision out;
  out.id = decision.id;
  out.step = decision.step;
  out.about = decision.about;
  out.policy = rules::policy_name(decision.policy);
  out.source = decision.source;
  out.where = decision.where;
  for (const int slot : decision.needs) out.needs.push_back(book.data().name_of(slot));
  for (std::size_t at = 0; at < decision.rules.size(); ++at) {
    const RuleData& rule = decision.rules[at];
    const auto code = book.fixed_text({index}, static_cast<int>(at), "code");
    out.rules.push_back({rule.id.empty() ? decision.id : rule.id, condition_of(decision, rule), text_of(rule.then), code.value_or(""),
                         rule.because.text, rule.source.empty() ? decision.source : rule.source, rule.where});
  }
  return out;
}

}  // namespace

Loaded<std::vector<ListedDecision>> list_rules(const std::string& book) {
  const auto opened = rules::open_book(book);
  if (!opened) return {std::nullopt, opened.issues};
  std::vector<ListedDecision> decisions;
  for (const int index : opened.value->data().order) decisions.push_back(listed(*opened.value, index));
  return {std::move(decisions), opened.issues};
}

Value to_value(const ListedDecision& decision) {
  Value value;
  value["id"] = decision.id;
  value["step"] = decision.step;
  value["about"] = decision.about;
  value["policy"] = decision.policy;
  value["source"] = decision.source;
  value["where"] = to_string(decision.where);
  value["needs"] = list_of_texts(decision.needs);
  value["rules"] = Value::list();
  for (const ListedDecision::Rule& rule : decision.rules) {
    Value entry;
    entry["id"] = rule.id;
    entry["when"] = rule.when;
    entry["then"] = rule.then;
    if (!rule.code.empty()) entry["code"] = rule.code;
    entry["because"] = rule.because;
    entry["source"] = rule.source;
    entry["where"] = to_string(rule.where);
    value["rules"].push_back(std::move(entry));
  }
  return value;
}

}  // namespace steelyard
