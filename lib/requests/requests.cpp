#include <steelyard/requests.hpp>
#include <steelyard/stack.hpp>

#include "load/fields.hpp"
#include "report/forms.hpp"
#include "requests/request.hpp"

namespace steelyard {

namespace requests {

Request::Request(std::string text, const std::string& file) {
  auto parsed = load::parse_document(std::move(text), file);
  issues = std::move(parsed.issues);
  if (!parsed) return;
  document = std::move(*parsed.value);
  load::Fields fields(document, document.root, issues, "request");
  if (const load::Node* given = fields.node("id")) id = load::to_value(*given);
}

const load::Node* Request::part(const char* key) const { return document.root.find(key); }

Value Request::failed() const {
  Value value;
  value["id"] = id;
  value["error"] = to_value(issues);
  return value;
}

Value Request::answered(Value answer) const {
  Value value;
  value["id"] = id;
  for (auto& [key, item] : answer.as_map()) value[key] = std::move(item);
  return value;
}

}  // namespace requests

Loaded<Value> parse_value(std::string text, std::string file) {
  auto document = load::parse_document(std::move(text), std::move(file));
  if (!document) return {std::nullopt, std::move(document.issues)};
  return {load::to_value(document.value->root), std::move(document.issues)};
}

Value to_value(const Explanation& explanation) {
  Value value;
  value["schema"] = "steelyard.explain/1";
  value["offer"] = explanation.offer;
  value["configuration"] = to_value(explanation.configuration);
  const Value estimate = to_value(explanation.estimate);
  for (const auto& [key, item] : estimate.as_map()) {
    if (key != "schema") value[key] = item;
  }
  value["near"] = Value::list();
  for (const NearMiss& miss : explanation.estimate.near) {
    Value entry;
    entry["rule"] = miss.rule;
    entry["failed"] = miss.failed;
    value["near"].push_back(std::move(entry));
  }
  if (explanation.runnable) value["runnable"] = to_value(*explanation.runnable);
  value["what_if"] = Value::list();
  for (const WhatIf& what_if : explanation.what_if) value["what_if"].push_back(report::form(what_if));
  return value;
}

}  // namespace steelyard
