// DMN models: tables and plain expressions become a book; what needs more of FEEL is skipped.
#include <algorithm>
#include <cmath>

#include "cases.hpp"
#include "rules/rules.hpp"

namespace steelyard::conformance {

namespace {

const std::string& text_of(const Value& map, const char* key) {
  static const std::string none;
  const Value* found = map.find(key);
  return found && found->is_string() ? found->as_string() : none;
}

const Value::List& list_of(const Value& map, const char* key) {
  static const Value::List none;
  const Value* found = map.find(key);
  return found && found->is_list() ? found->as_list() : none;
}

std::string identifier(const std::string& name) {
  std::string plain = "n_";
  for (const char c : name) plain += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return plain;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Model {
 public:
  explicit Model(const Value& model) : model_(model) {
    for (const char* part : {"inputs", "decisions"}) {
      for (const Value& entry : list_of(model, part)) names_.push_back(text_of(entry, "name"));
    }
    std::sort(names_.begin(), names_.end(), [](const std::string& one, const std::string& other) { return one.size() > other.size(); });
  }

  /// The book with one decision and all that it requires; an issue where it needs more than the rule language has.
  Loaded<rules::Book> book_for(const std::string& decision) {
    Value facts = Value::list(), decisions = Value::list();
    for (const Value& input : list_of(model_, "inputs")) facts.push_back(Value::Map{{"name", identifier(text_of(input, "name"))}});
    add(decision, decisions);
    load::Document document{"model.yaml", {}, load::from_value(Value::Map{{"facts", facts}, {"decisions", decisions}})};
    return rules::load_book("model", {document});
  }

 private:
  void add(const std::string& name, Value& decisions) {
    for (const Value& decision : list_of(model_, "decisions")) {
      if (text_of(decision, "name") != name || std::find(added_.begin(), added_.end(), name) != added_.end()) continue;
      added_.push_back(name);
      for (const Value& required : list_of(decision, "requires")) add(required.as_string(), decisions);
      decisions.push_back(convert(decision));
    }
  }

  // Names of several words become one word; FEEL's max and its single = are ours under other names.
  std::string expression(std::string text) const {
    for (const std::string& name : names_) replace_name(text, name);
    replace_all(text, "max(", "math.greatest(");
    replace_all(text, "min(", "math.least(");
    return text;
  }

  static void replace_name(std::string& text, const std::string& name) {
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '"') quoted = !quoted;
      const bool starts = !quoted && (at == 0 || !is_word(text[at - 1])) && text.compare(at, name.size(), name) == 0;
      if (!starts || (at + name.size() < text.size() && is_word(text[at + name.size()]))) continue;
      text.replace(at, name.size(), identifier(name));
      at += identifier(name).size() - 1;
    }
  }

  Value convert(const Value& decision) const {
    Value result = Value::Map{{"id", identifier(text_of(decision, "name"))}};
    const Value& logic = *decision.find("logic");
    const Value* table = logic.find("table");
    if (!table) {
      result["value"] = expression(text_of(logic, "literal"));
      result["because"] = "1";
      return result;
    }
    std::string policy = text_of(*table, "hit_policy") + (table->find("aggregation") ? " " + text_of(*table, "aggregation") : "");
    std::transform(policy.begin(), policy.end(), policy.begin(), [](char c) { return c == ' ' ? '_' : static_cast<char>(std::tolower(c)); });
    result["hit_policy"] = policy;
    Value inputs = Value::map();
    for (const Value& input : list_of(*table, "inputs")) inputs["i" + std::to_string(inputs.as_map().size())] = expression(text_of(input, "expr"));
    result["inputs"] = inputs;
    add_outputs(*table, policy, result);
    add_rules(*table, result);
    return result;
  }

  void add_outputs(const Value& table, const std::string& policy, Value& result) const {
    const auto& outputs = list_of(table, "outputs");
    const bool ordered = policy == "priority" || policy == "output_order";
    Value priorities = Value::map(), defaults = Value::map();
    for (const Value& output : outputs) {
      const std::string& name = text_of(output, "name");
      if (ordered && output.find("values")) priorities[name] = texts_in(text_of(output, "values"));
      if (output.find("default")) defaults[name] = "= " + expression(text_of(output, "default"));
    }
    const bool single = outputs.size() == 1;
    if (!priorities.as_map().empty()) result["priorities"] = single ? priorities.as_map()[0].second : priorities;
    if (!defaults.as_map().empty()) result["default"] = single ? defaults.as_map()[0].second : defaults;
  }

  // "\"Approved\", \"Declined\"" -> the texts between the quotes.
  static Value texts_in(const std::string& text) {
    Value texts = Value::list();
    for (std::size_t open = text.find('"'); open != std::string::npos; open = text.find('"', open + 1)) {
      const std::size_t close = text.find('"', open + 1);
      texts.push_back(text.substr(open + 1, close - open - 1));
      open = close;
    }
    return texts;
  }

  void add_rules(const Value& table, Value& result) const {
    const auto& outputs = list_of(table, "outputs");
    Value rules = Value::list();
    for (const Value& row : list_of(table, "rules")) {
      Value when = Value::list(), then = Value::map();
      for (const Value& cell : list_of(row, "when")) when.push_back(expression(cell.as_string()));
      const auto& values = list_of(row, "then");
      for (std::size_t at = 0; at < values.size() && at < outputs.size(); ++at)
        then[text_of(outputs[at], "name")] = "= " + expression(values[at].as_string());
      const std::string id = result.find("id")->as_string() + "." + std::to_string(rules.is_list() ? rules.as_list().size() + 1 : 1);
      rules.push_back(Value::Map{{"id", id}, {"when", when}, {"then", outputs.size() == 1 ? then.as_map()[0].second : then}, {"because", "1"}});
    }
    result["rules"] = rules;
  }

  const Value& model_;
  std::vector<std::string> names_, added_;
};

bool same(const Value& one, const Value& other) {
  if (one.is_number() && other.is_number()) {
    const double a = one.as_number(), b = other.as_number();
    return std::abs(a - b) <= 1e-9 * std::max({1e-300, std::abs(a), std::abs(b)});
  }
  if (one.is_list() && other.is_list())
    return std::equal(one.as_list().begin(), one.as_list().end(), other.as_list().begin(), other.as_list().end(), same);
  if (!one.is_map() || !other.is_map()) return one == other;
  return one.as_map().size() == other.as_map().size() && std::all_of(one.as_map().begin(), one.as_map().end(), [&](const Value::Entry& entry) {
           const Value* found = other.find(entry.first);
           return found && same(entry.second, *found);
         });
}

bool has_tag(const Value& value) {
  if (value.is_list()) return std::any_of(value.as_list().begin(), value.as_list().end(), has_tag);
  if (!value.is_map()) return false;
  return std::any_of(value.as_map().begin(), value.as_map().end(),
                     [](const Value::Entry& entry) { return entry.first.starts_with("$") || has_tag(entry.second); });
}

void run_case(const Value& model, const Value& one_case, Verdict& verdict) {
  const std::string& decision = text_of(one_case, "decision");
  const Value* inputs = one_case.find("inputs");
  const auto book = Model(model).book_for(decision);
  if (!book || !inputs || has_tag(*inputs)) {
    verdict.detail = "needs more of FEEL than the rule language has" + (book ? std::string() : ": " + book.issues.front().message);
    return;
  }
  rules::Session session(*book.value);
  for (const Value& input : list_of(model, "inputs")) {  // DMN has null where we have unknown
    const Value* given = inputs->find(text_of(input, "name"));
    session.set(identifier(text_of(input, "name")), given ? *given : Value());
  }
  const rules::Outcome& outcome = session.decide(identifier(decision));
  const Value* expect = one_case.find("expect");
  const bool settled = outcome.status == rules::Status::decided || outcome.status == rules::Status::no_hit;
  const bool right = settled && same(expect ? *expect : Value(), outcome.output);
  verdict.result = right ? "pass" : "fail";
  if (!right) verdict.detail = "expected " + to_json(expect ? *expect : Value()) + ", came " + to_json(outcome.output) + " " + outcome.error;
}

}  // namespace

std::vector<Verdict> run_dmn(const Value& file) {
  std::vector<Verdict> verdicts;
  const std::string& profile = text_of(file, "profile");
  const Value* model = file.find("model");
  for (const Value& one_case : list_of(file, "cases")) {
    Verdict verdict{text_of(one_case, "id"), profile, "skip", "needs FEEL contexts, functions or invocations"};
    if (model && profile != "boxed") run_case(*model, one_case, verdict);
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

Verdict skip_feel(const Value& one_case) { return {text_of(one_case, "id"), "feel", "skip", "FEEL is not the rule language"}; }

}  // namespace steelyard::conformance
