// Do the parts of a table go together: found before any row is decided.
#include <algorithm>

#include "core/text.hpp"
#include "rules/book.hpp"

namespace steelyard::rules {

namespace {

std::string advice(const std::string& word, const std::vector<std::string>& known, const std::string& otherwise) {
  const auto near = nearest_words(word, known, 1);
  return near.empty() ? otherwise : "did you mean " + near[0] + "?";
}

class TableCheck {
 public:
  TableCheck(const BookData& book, const DecisionData& decision, Issues& issues) : book_(book), decision_(decision), issues_(issues) {}

  void run() {
    check_sums();
    if (decision_.otherwise) check_default();
    for (const auto& [entry, values] : decision_.priorities) check_priorities(entry, values);
    for (const TestRow& row : decision_.tests) check_row(row);
  }

 private:
  void issue(const SourceLocation& where, const std::string& message, std::string fix, Severity severity = Severity::error) {
    issues_.push_back({severity, where, message, std::move(fix), {}});
  }
  std::string owner() const { return "decision " + decision_.id; }

  void check_sums() {
    const HitPolicy policy = decision_.policy;
    if (policy != HitPolicy::collect_sum && policy != HitPolicy::collect_min && policy != HitPolicy::collect_max) return;
    for (const RuleData& rule : decision_.rules) {
      const Type type = rule.then.whole.type;
      if (type == Type::number || type == Type::any) continue;
      issue(rule.then.where,
            "rule " + rule.id + ": then: a " + std::string(type_name(type)) + ", but " + std::string(policy_name(policy)) + " needs numbers",
            "write a number, or another hit_policy");
    }
  }

  // Where all rules give one type, the default gives it too; where they give entries, it has none of its own.
  void check_default() {
    const OutputData& otherwise = *decision_.otherwise;
    const Type type = otherwise.whole.type;
    Type agreed = decision_.rules.front().then.whole.type;
    for (const RuleData& rule : decision_.rules) {
      if (rule.then.whole.type != agreed) agreed = Type::any;
    }
    const bool open = agreed == Type::any || agreed == Type::null || type == Type::any || type == Type::null || gives_list(decision_.policy);
    if (!open && type != agreed) {
      issue(otherwise.where, owner() + ": default: a " + std::string(type_name(type)) + " where all rules give a " + std::string(type_name(agreed)),
            "give a " + std::string(type_name(agreed)) + ", or null where nothing applies");
    }
    if (agreed != Type::map || type != Type::map) return;
    std::vector<std::string> entries;
    for (const RuleData& rule : decision_.rules) {
      for (const auto& field : rule.then.fields) entries.push_back(field.name);
    }
    for (const auto& field : otherwise.fields) {
      if (field.name.empty() || std::find(entries.begin(), entries.end(), field.name) != entries.end()) continue;
      issue(field.expression.where, owner() + ": default: no rule gives '" + field.name + "'",
            advice(field.name, entries, "its outputs: " + join(entries, ", ")));
    }
  }

  // The constant outputs of one entry; empty where some are computed.
  std::vector<Value> outputs_of(const std::string& entry) const {
    std::vector<Value> outputs;
    for (const RuleData& rule : decision_.rules) {
      if (rule.then.whole.op != Op::literal) return {};
      const Value* value = entry.empty() ? &rule.then.constant : rule.then.constant.find(entry);
      if (value) outputs.push_back(*value);
    }
    return outputs;
  }

  // No error: the rule may have been switched off by a layer.
  void check_priorities(const std::string& entry, const std::vector<Value>& values) {
    const std::vector<Value> outputs = outputs_of(entry);
    if (outputs.empty()) return;
    std::vector<std::string> given;
    for (const Value& output : outputs) given.push_back(output.is_string() ? output.as_string() : to_json(output));
    for (const Value& value : values) {
      if (std::find(outputs.begin(), outputs.end(), value) != outputs.end()) continue;
      const std::string word = value.is_string() ? value.as_string() : to_json(value);
      issue(decision_.where, owner() + ": priorities: no rule gives '" + word + "'", advice(word, given, "the outputs: " + join(given, ", ")),
            Severity::warning);
    }
  }

  void check_row(const TestRow& row) {
    std::vector<std::string> rules;
    for (const RuleData& rule : decision_.rules) rules.push_back(rule.id);
    if (row.rule && std::find(rules.begin(), rules.end(), *row.rule) == rules.end()) {
      issue(row.where, "test of " + decision_.id + ": rule: no rule '" + *row.rule + "' in this table",
            advice(*row.rule, rules, "its rules: " + join(rules, ", ")));
    }
    if (!row.input.is_map()) return;
    for (const auto& [name, value] : row.input.as_map()) check_input(row, name, value);
  }

  // A local input, a fact or decision, or a map that is the beginning of dotted names.
  void check_input(const TestRow& row, const std::string& name, const Value& value) {
    std::vector<std::string> inputs;
    for (const InputData& input : decision_.inputs) inputs.push_back(input.name);
    if (book_.slots.contains(name) || std::find(inputs.begin(), inputs.end(), name) != inputs.end()) return;
    if (value.is_map()) {
      for (const auto& [key, inner] : value.as_map()) check_input(row, name + "." + key, inner);
      return;
    }
    std::vector<std::string> known = inputs;
    for (const auto& entry : book_.slots) known.push_back(entry.first);
    std::sort(known.begin(), known.end());
    issue(row.where, "test of " + decision_.id + ": input: unknown name '" + name + "'", advice(name, known, "name an input, a fact or a decision"));
  }

  const BookData& book_;
  const DecisionData& decision_;
  Issues& issues_;
};

}  // namespace

void check_tables(const BookData& book, Issues& issues) {
  for (const DecisionData& decision : book.decisions) TableCheck(book, decision, issues).run();
}

}  // namespace steelyard::rules
