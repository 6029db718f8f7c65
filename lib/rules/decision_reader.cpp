// One decision of a rule file.
#include <algorithm>

#include "core/text.hpp"
#include "rules/language/parser.hpp"
#include "rules/reading.hpp"

namespace steelyard::rules {

using load::Entry;
using load::Fields;
using load::Node;

namespace {

// "rules/reference/2_network/tier.yaml" -> "network": the folder without its number.
std::string step_of(const std::string& file) {
  const auto end = file.find_last_of('/');
  if (end == std::string::npos) return {};
  const auto start = file.find_last_of('/', end - 1);
  std::string folder = file.substr(start == std::string::npos ? 0 : start + 1, end - (start == std::string::npos ? 0 : start + 1));
  if (folder.size() > 2 && folder[0] >= '0' && folder[0] <= '9' && folder[1] == '_') folder.erase(0, 2);
  return folder;
}

bool is_expression(const Node& node) { return node.kind == Node::Kind::scalar && node.text.starts_with("= "); }

std::vector<std::string> policy_words() {
  std::vector<std::string> words;
  for (int policy = 0; policy < static_cast<int>(HitPolicy::expression); ++policy) words.emplace_back(policy_name(static_cast<HitPolicy>(policy)));
  for (const char* letter : {"U", "A", "P", "F", "R", "O", "C", "C+", "C<", "C>", "C#"}) words.emplace_back(letter);
  return words;
}

}  // namespace

void DecisionReader::issue(const SourceLocation& where, const std::string& message, const std::string& fix) {
  issues_.push_back(document_.issue(where, owner_ + ": " + message, fix));
}

void DecisionReader::report(const Faults& faults, const SourceLocation& where) {
  for (const Fault& fault : faults) issues_.push_back(fault_issue(fault, where, owner_));
}

Expression DecisionReader::parse(const std::string& text, const SourceLocation& where) {
  Expression expression{text, where, {}};
  auto parsed = parse_expression(expression.text, ExprMode::book, book_.heap);
  if (auto* fault = std::get_if<Fault>(&parsed)) {
    report({*fault}, where);
    expression.expr.op = Op::fail;  // no faults on top of this one
  } else {
    expression.expr = std::move(std::get<Expr>(parsed));
  }
  return expression;
}

Sentence DecisionReader::sentence(Fields& fields, bool required) {
  const Node* node = fields.node("because");
  if (!node || node->kind != Node::Kind::scalar) {
    if (required || node) issue(fields.where(), "because is missing", "add `because: \"...\"`, a sentence with the numbers that decide");
    return {};
  }
  Faults faults;
  const SourceLocation where = text_place(document_, *node);
  Sentence sentence = parse_sentence(node->text, where, book_.heap, faults);
  const std::string owner = owner_;
  owner_ += ": because";
  report(faults, where);
  const bool number = node->text.find_first_of("{0123456789") != std::string::npos;
  if (!number) {
    issues_.push_back(document_.issue(document_.at(*node), owner_ + ": a reason without a number", "name the figure that decides, for example {" + std::string("csi") + "}", Severity::warning));
  }
  owner_ = owner;
  return sentence;
}

void DecisionReader::read(const Node& node) {
  Fields fields(document_, node, issues_, "decision");
  if (node.kind != Node::Kind::map) return;
  decision_.id = fields.required_text("id");
  owner_ = "decision " + decision_.id;
  decision_.where = fields.where();
  decision_.about = fields.text("about").value_or("");
  decision_.source = fields.text("source").value_or("");
  decision_.step = step_of(document_.file);
  decision_.unit_text = fields.text("unit").value_or("");
  read_inputs(fields);
  if (fields.has("value")) {
    read_value(fields, node);
  } else {
    read_table(fields);
  }
  if (const Node* otherwise = node.find("default")) decision_.otherwise = read_output(*otherwise, false);
  fields.node("default");
  read_tests(fields);
  fields.finish();
  book_.decisions.push_back(std::move(decision_));
}

void DecisionReader::read_inputs(Fields& fields) {
  const Node* inputs = fields.node("inputs");
  if (!inputs) return;
  if (inputs->kind != Node::Kind::map) return issue(document_.at(*inputs), "inputs: expected a map, found " + load::describe(*inputs), "write {csi: network.csi}");
  for (const Entry& entry : inputs->entries) {
    const std::string owner = owner_;
    owner_ += ": input " + entry.key;
    InputData input;
    input.name = entry.key;
    if (entry.value.kind == Node::Kind::scalar) {
      input.expression = parse(entry.value.text, text_place(document_, entry.value));
    } else {
      issue(document_.at(entry), "expected a name or an expression, found " + load::describe(entry.value), "write " + entry.key + ": name.of.a.fact");
    }
    decision_.inputs.push_back(std::move(input));
    owner_ = owner;
  }
}

void DecisionReader::read_value(Fields& fields, const Node& node) {
  const Node& value = *node.find("value");
  fields.node("value");
  RuleData rule;
  rule.id = decision_.id;
  rule.where = decision_.where;
  rule.then = read_output(value, true);
  rule.because = sentence(fields, true);
  decision_.rules.push_back(std::move(rule));
}

void DecisionReader::read_table(Fields& fields) {
  const auto policy = fields.word("hit_policy", policy_words());
  decision_.policy = parse_policy(policy.value_or("first")).value_or(HitPolicy::first);
  if (!fields.has("hit_policy")) issue(fields.where(), "hit_policy is missing", "add `hit_policy: first` (or `value:` for an expression)");
  read_priorities(fields);
  const Node* rules = fields.node("rules");
  if (!rules || rules->kind != Node::Kind::list || rules->items.empty()) {
    return issue(rules ? document_.at(*rules) : fields.where(), "rules: expected a list of rules", "add `rules: [{id: ..., when: ..., then: ..., because: ...}]`");
  }
  for (const Node& node : rules->items) read_rule(node);
  for (RuleData& rule : decision_.rules) {
    if (rule.condition) continue;
    const std::size_t read = rule.cells.size();
    rule.cells.resize(decision_.inputs.size());
    for (std::size_t at = read; at < rule.cells.size(); ++at) rule.cells[at].any = true;
  }
}

void DecisionReader::read_rule(const Node& node) {
  Fields fields(document_, node, issues_, "rule of " + decision_.id);
  if (node.kind != Node::Kind::map) return;
  RuleData rule;
  rule.id = fields.required_text("id");
  rule.where = fields.where();
  rule.source = fields.text("source").value_or("");
  const std::string owner = owner_;
  owner_ = "rule " + rule.id;
  read_when(fields, rule);
  if (const Node* then = node.find("then")) {
    owner_ = "rule " + rule.id + ": then";
    rule.then = read_output(*then, false);
    owner_ = "rule " + rule.id;
  } else {
    issue(fields.where(), "then is missing", "add `then: <output>`");
  }
  fields.node("then");
  fields.text("about");
  rule.because = sentence(fields, true);
  fields.finish();
  owner_ = owner;
  decision_.rules.push_back(std::move(rule));
}

void DecisionReader::read_when(Fields& fields, RuleData& rule) {
  const Node* when = fields.node("when");
  if (!when) return issue(fields.where(), "when is missing", "add `when: true` for a rule that always applies");
  owner_ += ": when";
  if (when->kind == Node::Kind::scalar) {
    if (when->text != "true") rule.condition = parse(when->text, text_place(document_, *when));
  } else {
    read_cells(*when, rule);
  }
  owner_ = "rule " + rule.id;
}

std::size_t DecisionReader::input_number(const Entry& entry) {
  const auto found = std::find_if(decision_.inputs.begin(), decision_.inputs.end(), [&](const InputData& input) { return input.name == entry.key; });
  const auto number = static_cast<std::size_t>(found - decision_.inputs.begin());
  if (found == decision_.inputs.end()) {  // a fact or decision under its full name
    InputData input;
    input.name = entry.key;
    input.expression = parse(entry.key, {document_.file, entry.line, entry.column});
    decision_.inputs.push_back(std::move(input));
  }
  return number;
}

void DecisionReader::read_cells(const Node& when, RuleData& rule) {
  const auto place = [&](std::size_t number, Cell cell) {
    while (rule.cells.size() <= number) rule.cells.emplace_back().any = true;
    rule.cells[number] = std::move(cell);
  };
  for (const Entry& entry : when.entries) {
    const std::size_t number = input_number(entry);
    place(number, read_cell(entry.value, entry.key));
  }
  if (when.items.size() > decision_.inputs.size()) {
    issue(document_.at(when), std::to_string(when.items.size()) + " cells for " + std::to_string(decision_.inputs.size()) + " inputs", "write one cell an input, or name them");
    return;
  }
  for (std::size_t at = 0; at < when.items.size(); ++at) place(at, read_cell(when.items[at], decision_.inputs[at].name));
}

Cell DecisionReader::read_cell(const Node& node, const std::string& input) {
  Faults faults;
  Cell cell;
  cell.any = true;
  if (node.kind == Node::Kind::scalar) {
    cell = parse_cell(node.text, text_place(document_, node), book_.heap, faults);
    const std::string owner = owner_;
    owner_ += " " + input;
    report(faults, cell.where);
    owner_ = owner;
  } else if (node.kind != Node::Kind::null) {
    issue(document_.at(node), input + ": expected a cell, found " + load::describe(node), "put the cell in quotes: \"[500..5000)\"");
  }
  return cell;
}

Expression DecisionReader::read_output_value(const Node& node, bool expressions) {
  if (node.kind == Node::Kind::scalar && (expressions || is_expression(node))) {
    SourceLocation where = text_place(document_, node);
    const std::size_t skip = is_expression(node) ? 2 : 0;
    if (where.column > 0) where.column += static_cast<int>(skip);
    return parse(node.text.substr(skip), where);
  }
  return {node.text, text_place(document_, node), constant(node, book_.heap)};
}

OutputData DecisionReader::read_output(const Node& node, bool expressions) {
  OutputData output;
  output.where = document_.at(node);
  if (node.kind != Node::Kind::map) {
    output.fields.push_back({{}, read_output_value(node, expressions)});
    return output;
  }
  for (const Entry& entry : node.entries) {
    const std::string owner = owner_;
    owner_ += " " + entry.key;
    output.fields.push_back({entry.key, read_output_value(entry.value, expressions)});
    owner_ = owner;
  }
  return output;
}

void DecisionReader::read_priorities(Fields& fields) {
  const bool wanted = decision_.policy == HitPolicy::priority || decision_.policy == HitPolicy::output_order;
  const Node* node = fields.node("priorities");
  if (!node) {
    if (wanted) issue(fields.where(), "priorities is missing", "add `priorities: [most important output, next, ...]`");
    return;
  }
  const auto values = [](const Node& list) {
    std::vector<Value> found;
    for (const Node& item : list.items) found.push_back(load::to_value(item));
    return found;
  };
  if (node->kind == Node::Kind::list) decision_.priorities.emplace_back(std::string(), values(*node));
  for (const Entry& entry : node->entries) decision_.priorities.emplace_back(entry.key, values(entry.value));
}

void DecisionReader::read_tests(Fields& fields) {
  const Node* tests = fields.node("tests");
  if (!tests) return;
  load::each_map(document_, *tests, issues_, "test of " + decision_.id, [&](Fields& row) { decision_.tests.push_back(read_test(row)); });
}

TestRow DecisionReader::read_test(Fields& fields) {
  TestRow row;
  row.where = fields.where();
  if (const Node* input = fields.node("input")) row.input = load::to_value(*input);
  if (const Node* output = fields.node("output")) row.output = load::to_value(*output);
  row.rule = fields.text("rule");
  row.status = fields.word("status", {"decided", "undetermined", "no_hit", "failed"});
  if (fields.has("unknown")) row.unknown = fields.texts("unknown");
  fields.text("about");
  if (!row.output && !row.rule && !row.status && !row.unknown) row.output = Value();
  fields.finish();
  return row;
}

}  // namespace steelyard::rules
