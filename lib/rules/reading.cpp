// Rule files: the list of facts, and decisions one by one.
#include "rules/reading.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace steelyard::rules {

SourceLocation text_place(const load::Document& document, const load::Node& node) {
  SourceLocation where = document.at(node);
  if (node.quoted && where.column > 0) ++where.column;
  return where;
}

Expr constant(const load::Node& node, Heap& heap) {
  Heap scratch;
  const Value value = load::to_value(node);
  Expr expr;
  expr.value = copy(to_datum(value, scratch, true), heap);
  expr.bare = expr.value.kind == Kind::real;
  return expr;
}

Issue fault_issue(const Fault& fault, const SourceLocation& where, const std::string& owner) {
  Issue issue;
  issue.where = where;
  if (issue.where.column > 0) issue.where.column += static_cast<int>(fault.offset);
  issue.message = owner + ": " + fault.message;
  issue.fix = fault.fix;
  return issue;
}

int BookData::part_number(const std::string& part) {
  const auto found = std::find(parts.begin(), parts.end(), part);
  if (found != parts.end()) return -1 - static_cast<int>(found - parts.begin());
  parts.push_back(part);
  return -static_cast<int>(parts.size());
}

namespace {

Type parse_type(const std::string& word) {
  if (word == "number") return Type::number;
  if (word == "bool") return Type::boolean;
  if (word == "string") return Type::text;
  if (word == "list") return Type::list;
  return word == "map" ? Type::map : Type::any;
}

bool is_name(const std::string& name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; };
  const bool ends = !name.empty() && name.front() != '.' && name.back() != '.' && name.find("..") == std::string::npos;
  return ends && std::all_of(name.begin(), name.end(), fits) && !(name.front() >= '0' && name.front() <= '9');
}

void read_unit(load::Fields& fields, std::string& text, Unit& unit) {
  text = fields.text("unit").value_or("");
  if (text.empty()) return;
  const auto found = parse_unit(text);
  if (found) {
    unit = *found;
    return;
  }
  const auto near = nearest_words(text, unit_words(), 1);
  fields.fault("unit", "unit: unknown unit '" + text + "'", near.empty() ? "write it like GiB, Gbit/s, USD/h, or 1 for a pure number" : "did you mean " + near[0] + "?");
}

void read_fact(load::Fields& fields, BookData& book) {
  FactData fact;
  fact.where = fields.where();
  fact.name = fields.required_text("name");
  if (!fact.name.empty() && !is_name(fact.name)) fields.fault("name", "name: '" + fact.name + "' is no dotted name", "use letters, digits, _ and dots");
  fact.type = parse_type(fields.word("type", {"number", "bool", "string", "list", "map", "any"}).value_or("any"));
  fact.about = fields.text("about").value_or("");
  fact.source = fields.text("source").value_or("");
  read_unit(fields, fact.unit_text, fact.unit);
  fact.words = fields.texts("values");
  fact.least = fields.number("min");
  fact.most = fields.number("max");
  if (const load::Node* node = fields.node("on_unknown")) fact.on_unknown = constant(*node, book.heap).value;
  if (fact.unit.stated && fact.type != Type::number) fields.fault("unit", "unit: only numbers have a unit", "write type: number");
  if (!fact.words.empty() && fact.type != Type::text) fields.fault("values", "values: only strings have a list of values", "write type: string");
  fields.finish();
  book.facts.push_back(std::move(fact));
}

}  // namespace

void read_rules(const load::Document& document, BookData& book, Issues& issues) {
  const load::Node& root = document.root;
  if (root.kind != load::Node::Kind::map) {
    issues.push_back(document.issue(document.at(root), "rule file: expected a map, found " + load::describe(root), "write `id:`, `decisions:` or `facts:`"));
    return;
  }
  if (const load::Node* facts = root.find("facts")) {
    load::each_map(document, *facts, issues, "fact", [&](load::Fields& fields) { read_fact(fields, book); });
  }
  if (const load::Node* decisions = root.find("decisions")) {
    if (decisions->kind != load::Node::Kind::list) {
      issues.push_back(document.issue(document.at(*decisions), "decisions: expected a list, found " + load::describe(*decisions), "write `- id: ...` items"));
    }
    for (const load::Node& node : decisions->items) DecisionReader(document, book, issues).read(node);
  }
  if (root.find("id")) {
    load::Node single = root;
    std::erase_if(single.entries, [](const load::Entry& entry) { return entry.key == "facts" || entry.key == "decisions"; });
    return DecisionReader(document, book, issues).read(single);
  }
  for (const load::Entry& entry : root.entries) {
    if (entry.key == "facts" || entry.key == "decisions") continue;
    issues.push_back(document.issue(document.at(entry), "rule file: unknown key '" + entry.key + "'", "a file holds `facts:`, `decisions:`, or one decision with `id:`"));
  }
}

}  // namespace steelyard::rules
