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

bool is_name(const std::string& name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'; };
  const bool ends = !name.empty() && name.front() != '.' && name.back() != '.' && name.find("..") == std::string::npos;
  return ends && std::all_of(name.begin(), name.end(), fits) && !(name.front() >= '0' && name.front() <= '9');
}

void name_owner(Issues& issues, std::size_t from, const std::string& kind, const std::string& owner) {
  for (std::size_t at = from; at < issues.size(); ++at) {
    std::string& message = issues[at].message;
    const auto starts = [&](std::string_view word) { return message.starts_with(word); };
    if (starts(kind + ": ")) {
      message.replace(0, kind.size(), owner);
    } else if (!starts("fact ") && !starts("decision ") && !starts("rule ") && !starts("test of ")) {
      message.insert(0, owner + ": ");
    }
  }
}

namespace {

void read_unit(load::Fields& fields, std::string& text, Unit& unit) {
  text = fields.text("unit").value_or("");
  if (text.empty()) return;
  const auto found = parse_unit(text);
  if (found) {
    unit = *found;
    return;
  }
  const auto near = nearest_words(text, unit_words(), 1);
  fields.fault("unit", "unit: unknown unit '" + text + "'",
               near.empty() ? "write it like GiB, Gbit/s, USD/h, or 1 for a pure number" : "did you mean " + near[0] + "?");
}

// What stands in for a missing fact must be a value that the fact can have.
void check_stand_in(load::Fields& fields, const FactData& fact) {
  const Datum& value = *fact.on_unknown;
  const Kind kind = value.kind;
  const bool fits = fact.type == Type::any || kind == Kind::null || (fact.type == Type::number && kind == Kind::real) ||
                    (fact.type == Type::boolean && kind == Kind::boolean) || (fact.type == Type::text && kind == Kind::text) ||
                    (fact.type == Type::list && kind == Kind::list) || (fact.type == Type::map && kind == Kind::map);
  if (!fits)
    return fields.fault("on_unknown", "on_unknown: expected a " + std::string(type_name(fact.type)) + ", found " + describe(value),
                        "write a value of the fact's own type");
  if (kind == Kind::text && !fact.words.empty() && std::find(fact.words.begin(), fact.words.end(), *value.text) == fact.words.end()) {
    const auto near = nearest_words(*value.text, fact.words, 1);
    fields.fault("on_unknown", "on_unknown: '" + *value.text + "' is none of the values",
                 near.empty() ? "its values: " + join(fact.words, ", ") : "did you mean " + near[0] + "?");
  }
  const bool outside = kind == Kind::real && ((fact.least && value.real < *fact.least) || (fact.most && value.real > *fact.most));
  if (outside) fields.fault("on_unknown", "on_unknown: " + describe(value) + " is outside of min and max", "write a value between them");
}

void read_fact(load::Fields& fields, BookData& book) {
  FactData fact;
  const std::size_t before = fields.issues().size();
  fact.where = fields.where();
  fact.name = fields.required_text("name");
  if (!fact.name.empty() && !is_name(fact.name))
    fields.fault("name", "name: '" + fact.name + "' is no dotted name", "use letters, digits, _ and dots");
  fact.type = parse_type(fields.word("type", {"number", "bool", "string", "list", "map", "any"}).value_or("any")).value_or(Type::any);
  fact.about = fields.text("about").value_or("");
  fact.source = fields.text("source").value_or("");
  read_unit(fields, fact.unit_text, fact.unit);
  fact.words = fields.texts("values");
  fact.least = fields.number("min");
  fact.most = fields.number("max");
  if (const load::Node* node = fields.node("on_unknown")) {
    fact.on_unknown = constant(*node, book.heap).value;
    check_stand_in(fields, fact);
  }
  if (fact.least && fact.most && *fact.least > *fact.most) {
    fields.fault("min", "min: " + format_number(*fact.least) + " is above max, " + format_number(*fact.most), "write the smaller one as min");
  }
  if (fact.unit.stated && fact.type != Type::number) fields.fault("unit", "unit: only numbers have a unit", "write type: number");
  if (!fact.words.empty() && fact.type != Type::text) fields.fault("values", "values: only strings have a list of values", "write type: string");
  fact.lint = read_allowance(fields);
  fields.finish();
  if (!fact.name.empty()) name_owner(fields.issues(), before, "fact", "fact " + fact.name);
  book.facts.push_back(std::move(fact));
}

void read_answers(const load::Document& document, const load::Node& answers, BookData& book, Issues& issues) {
  const bool scalars =
      std::all_of(answers.items.begin(), answers.items.end(), [](const load::Node& node) { return node.kind == load::Node::Kind::scalar; });
  if (answers.kind != load::Node::Kind::list || !scalars) {
    issues.push_back(document.issue(document.at(answers), "answers: expected a list of decisions, found " + load::describe(answers),
                                    "write [id of a decision, ...]"));
    return;
  }
  for (const load::Node& node : answers.items) book.answers.emplace_back(node.text, document.at(node));
}

// Keys of a file beside those of a single decision.
bool is_file_key(const std::string& key) {
  return key == "facts" || key == "decisions" || key == "answers" || key == "extends" || key == "off" || key == "replace" || key == "add";
}

}  // namespace

void read_rules(const load::Document& document, BookData& book, Issues& issues) {
  const load::Node& root = document.root;
  if (root.kind != load::Node::Kind::map) {
    const SourceLocation where{document.file, std::max(1, root.line), std::max(1, root.column)};
    issues.push_back(document.issue(where, "rule file: expected a map, found " + load::describe(root), "write `id:`, `decisions:` or `facts:`"));
    return;
  }
  if (const load::Node* facts = root.find("facts")) {
    if (facts->kind != load::Node::Kind::list) {
      issues.push_back(
          document.issue(document.at(*facts), "facts: expected a list, found " + load::describe(*facts), "write `- {name: ..., type: ...}` items"));
    } else {
      load::each_map(document, *facts, issues, "fact", [&](load::Fields& fields) { read_fact(fields, book); });
    }
  }
  if (const load::Node* answers = root.find("answers")) read_answers(document, *answers, book, issues);
  if (const load::Node* decisions = root.find("decisions")) {
    if (decisions->kind != load::Node::Kind::list) {
      issues.push_back(
          document.issue(document.at(*decisions), "decisions: expected a list, found " + load::describe(*decisions), "write `- id: ...` items"));
    }
    for (const load::Node& node : decisions->items) DecisionReader(document, book, issues).read(node);
  }
  if (root.find("id")) {
    load::Node single = root;
    std::erase_if(single.entries, [](const load::Entry& entry) { return is_file_key(entry.key); });
    return DecisionReader(document, book, issues).read(single);
  }
  for (const load::Entry& entry : root.entries) {
    if (is_file_key(entry.key)) continue;
    const auto near = nearest_words(entry.key, {"facts", "decisions", "answers", "id", "extends", "off", "replace", "add"}, 1);
    issues.push_back(
        document.issue(document.at(entry), "rule file: unknown key '" + entry.key + "'",
                       near.empty() ? "a file holds `facts:`, `decisions:`, or one decision with `id:`" : "did you mean " + near[0] + "?"));
  }
}

}  // namespace steelyard::rules
