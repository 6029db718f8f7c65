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

// One sentence in English, or a map of languages to sentences, English among them.
void DecisionReader::read_because(Fields& fields, RuleData& rule) {
  const Node* node = fields.node("because");
  if (!node) return issue(fields.where(), "because is missing", "add `because: \"...\"`, a sentence with the numbers that decide");
  const Node* english = node->kind == Node::Kind::map ? node->find("en") : node;
  if (!english) return issue(document_.at(*node), "because: the sentence in English is missing", "add `en: \"...\"`");
  rule.because = sentence(*english);
  for (const Entry& entry : node->entries) {
    if (entry.key == "en") continue;
    const auto language = parse_language(entry.key);
    if (language) {
      translate(rule, *language.value, entry.value);
    } else {
      issue(document_.at(entry), "because: unknown language '" + entry.key + "'", "write en and zh");
    }
  }
}

void DecisionReader::translate(RuleData& rule, Language language, const Node& node) {
  const std::string owner = owner_;
  owner_ = "rule " + rule.id + ": " + std::string(to_string(language));
  rule.translations.push_back({language, sentence(node)});
  rule.translations.back().because.language = language;
  owner_ = owner;
}

void DecisionReader::translate_texts(RuleData& rule, const Node& texts) {
  const std::string owner = owner_;
  owner_ = "rule " + rule.id + ": then";
  for (const Entry& entry : texts.entries) {
    const auto field = std::find_if(rule.then.fields.begin(), rule.then.fields.end(), [&](const auto& one) { return one.name == entry.key; });
    if (field == rule.then.fields.end()) {
      issue(document_.at(entry), "the rule gives no '" + entry.key + "'", "leave it out");
    } else {
      field->expression = read_output_value(entry.value, false);
    }
  }
  owner_ = owner;
}

Sentence DecisionReader::sentence(const Node& node) {
  if (node.kind != Node::Kind::scalar) {
    issue(document_.at(node), "because: expected a sentence, found " + load::describe(node),
          "write a sentence in quotes, with the numbers that decide");
    return {};
  }
  Faults faults;
  const SourceLocation where = text_place(document_, node);
  Sentence sentence = parse_sentence(node.text, where, book_.heap, faults);
  const std::string owner = owner_;
  owner_ += ": because";
  report(faults, where);
  const bool number = node.text.find_first_of("{0123456789") != std::string::npos;
  if (!number) {
    issues_.push_back(document_.issue(document_.at(node), owner_ + ": a reason without a number",
                                      "name the figure that decides, for example {" + std::string("csi") + "}", Severity::warning));
  }
  owner_ = owner;
  return sentence;
}

void DecisionReader::read(const Node& node) {
  Fields fields(document_, node, issues_, "decision");
  if (node.kind != Node::Kind::map) return;
  const std::size_t before = issues_.size();
  decision_.id = fields.required_text("id");
  owner_ = decision_.id.empty() ? "decision" : "decision " + decision_.id;
  read_body(fields, node);
  fields.finish();
  if (!decision_.id.empty()) name_owner(issues_, before, "decision", owner_);
  book_.decisions.push_back(std::move(decision_));
}

void DecisionReader::read_body(Fields& fields, const Node& node) {
  if (!decision_.id.empty() && !is_name(decision_.id)) {
    issue(document_.at(*node.find("id")), "id: '" + decision_.id + "' is no dotted name, so nothing could refer to it",
          "use letters, digits, _ and dots");
  }
  decision_.where = fields.where();
  decision_.about = fields.text("about").value_or("");
  decision_.source = fields.text("source").value_or("");
  decision_.step = step_of(document_.file);
  decision_.unit_text = fields.text("unit").value_or("");
  read_inputs(fields);
  if (fields.has("value")) {
    read_value(fields, node);
    for (const char* key : {"rules", "hit_policy", "default", "priorities"}) {
      const bool beside = fields.node(key) != nullptr;
      if (beside)
        issue(document_.at(*node.find(key)), std::string(key) + " beside value: a decision is a table or an expression, not both",
              "take one of them out");
    }
  } else {
    read_table(fields);
  }
  if (const Node* otherwise = node.find("default"); otherwise && !fields.has("value")) {
    const std::string owner = owner_;
    owner_ += ": default";
    decision_.otherwise = read_output(*otherwise, false);
    owner_ = owner;
  }
  fields.node("default");
  read_tests(fields);
  decision_.lint = read_allowance(fields);
}

void DecisionReader::read_inputs(Fields& fields) {
  const Node* inputs = fields.node("inputs");
  if (!inputs) return;
  if (inputs->kind != Node::Kind::map)
    return issue(document_.at(*inputs), "inputs: expected a map, found " + load::describe(*inputs), "write {csi: network.csi}");
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
  const std::string owner = owner_;
  owner_ += ": value";
  rule.then = read_output(value, true);
  owner_ = owner;
  read_because(fields, rule);
  decision_.rules.push_back(std::move(rule));
}

void DecisionReader::read_policy(Fields& fields) {
  const auto text = fields.text("hit_policy");
  const auto policy = text ? parse_policy(*text) : std::nullopt;
  decision_.policy = policy.value_or(HitPolicy::first);
  if (!fields.has("hit_policy")) issue(fields.where(), "hit_policy is missing", "add `hit_policy: first` (or `value:` for an expression)");
  if (!text || policy) return;
  const auto near = nearest_words(*text, policy_words(), 1);
  fields.fault(
      "hit_policy", owner_ + ": hit_policy: expected a hit policy, found '" + *text + "'",
      near.empty() ? "write one of " + join(policy_words(), ", ") + ", or its letter: U A P F R O C C+ C< C> C#" : "did you mean " + near[0] + "?");
}

void DecisionReader::read_table(Fields& fields) {
  read_policy(fields);
  read_priorities(fields);
  const Node* rules = fields.node("rules");
  if (!rules || rules->kind != Node::Kind::list || rules->items.empty()) {
    const std::string found = !rules ? "nothing" : rules->kind == Node::Kind::list ? "an empty list" : load::describe(*rules);
    return issue(rules ? document_.at(*rules) : fields.where(), "rules: expected a list of rules, found " + found,
                 "add `rules: [{id: ..., when: ..., then: ..., because: ...}]`");
  }
  for (const Node& node : rules->items) read_rule(node);
  fill_cells();
}

// Rules may name inputs that others do not: there they ask for nothing.
void DecisionReader::fill_cells() {
  for (RuleData& rule : decision_.rules) {
    if (rule.condition) continue;
    const std::size_t read = rule.cells.size();
    rule.cells.resize(decision_.inputs.size());
    for (std::size_t at = read; at < rule.cells.size(); ++at) rule.cells[at].any = true;
  }
}

void DecisionReader::amend(DecisionData& decision, const Node& rules, Amend how, std::size_t place) {
  decision_ = std::move(decision);
  owner_ = "decision " + decision_.id;
  std::vector<RuleData> old = std::move(decision_.rules);
  decision_.rules.clear();
  for (const Node& node : rules.items) read_rule(node);
  for (RuleData& rule : decision_.rules) rule.layer = static_cast<int>(book_.layers.size()) - 1;
  const auto at = old.begin() + static_cast<std::ptrdiff_t>(place);
  if (how == Amend::replace && !decision_.rules.empty()) {
    *at = std::move(decision_.rules.front());
  } else {
    old.insert(at, std::make_move_iterator(decision_.rules.begin()), std::make_move_iterator(decision_.rules.end()));
  }
  decision_.rules = std::move(old);
  fill_cells();
  decision = std::move(decision_);
}

void DecisionReader::amend_tests(DecisionData& decision, Fields& fields) {
  decision_ = std::move(decision);
  owner_ = "decision " + decision_.id;
  read_tests(fields);
  decision = std::move(decision_);
}

void DecisionReader::read_rule(const Node& node) {
  Fields fields(document_, node, issues_, "rule of " + decision_.id);
  if (node.kind != Node::Kind::map) return;
  RuleData rule;
  const std::size_t before = issues_.size();
  rule.id = fields.required_text("id");
  rule.where = fields.where();
  rule.source = fields.text("source").value_or("");
  const std::string owner = owner_;
  owner_ = rule.id.empty() ? "rule of " + decision_.id : "rule " + rule.id;
  read_when(fields, rule);
  read_then(fields, node, rule);
  fields.text("about");
  read_because(fields, rule);
  rule.lint = read_allowance(fields);
  fields.finish();
  if (!rule.id.empty()) name_owner(issues_, before, "rule of " + decision_.id, owner_);
  owner_ = owner;
  decision_.rules.push_back(std::move(rule));
}

void DecisionReader::read_then(Fields& fields, const Node& node, RuleData& rule) {
  fields.node("then");
  const Node* then = node.find("then");
  if (!then) return issue(fields.where(), "then is missing", "add `then: <output>`");
  const std::string owner = owner_;
  owner_ += ": then";
  rule.then = read_output(*then, false);
  owner_ = owner;
}

void DecisionReader::read_when(Fields& fields, RuleData& rule) {
  const Node* when = fields.node("when");
  if (!when) return issue(fields.where(), "when is missing", "add `when: true` for a rule that always applies");
  const std::string owner = owner_;
  owner_ += ": when";
  if (when->kind == Node::Kind::scalar) {
    if (when->text != "true") rule.condition = parse(when->text, text_place(document_, *when));
  } else {
    read_cells(*when, rule);
  }
  owner_ = owner;
}

std::size_t DecisionReader::input_number(const Entry& entry) {
  const auto found = std::find_if(decision_.inputs.begin(), decision_.inputs.end(), [&](const InputData& input) { return input.name == entry.key; });
  const auto number = static_cast<std::size_t>(found - decision_.inputs.begin());
  if (found == decision_.inputs.end()) {  // a fact or decision under its full name
    InputData input;
    input.name = entry.key;
    input.owner = owner_;
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
    issue(document_.at(when),
          std::to_string(when.items.size()) + " cells for " + std::to_string(decision_.inputs.size()) +
              (decision_.inputs.size() == 1 ? " input" : " inputs"),
          "write one cell an input, or name them");
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
  if (!wanted)
    issue(document_.at(*node), "priorities: only priority and output_order look at them, not " + std::string(policy_name(decision_.policy)),
          "take them out, or change hit_policy");
  if (node->kind == Node::Kind::scalar)
    issue(document_.at(*node), "priorities: expected a list, found " + load::describe(*node), "write [most important output, next, ...]");
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
  if (tests->kind != Node::Kind::list)
    return issue(document_.at(*tests), "tests: expected a list, found " + load::describe(*tests), "write `- {input: {...}, output: ...}` rows");
  load::each_map(document_, *tests, issues_, "test of " + decision_.id, [&](Fields& row) {
    const std::size_t before = issues_.size();
    decision_.tests.push_back(read_test(row));
    name_owner(issues_, before, "test", "test of " + decision_.id);
  });
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
