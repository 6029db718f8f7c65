#include "rule_workload.hpp"

#include <algorithm>
#include <map>

#include "data.hpp"
#include "load/node.hpp"

namespace steelyard::bench {

namespace {

// The steps of the file as decisions. Outputs of tables with several are fields of the decision: net_eff is net.net_eff.
class BookWriter {
 public:
  explicit BookWriter(const Value& file) : file_(file) {}

  Value write(std::vector<std::string>& tables) {
    Value facts = Value::list(), decisions = Value::list();
    for (const Value& input : file_.find("inputs")->as_list()) {
      const bool text = input.find("type")->as_string() == "string";
      facts.push_back(Value::Map{{"name", *input.find("name")}, {"type", text ? "string" : "number"}});
    }
    for (const Value& step : file_.find("steps")->as_list()) {
      if (const Value* expressions = step.find("expr")) {
        for (const auto& [name, text] : expressions->as_map()) decisions.push_back(expression(name, text.as_string()));
      } else {
        tables.push_back(step.find("table")->as_string());
        decisions.push_back(table(step));
      }
    }
    return Value::Map{{"facts", facts}, {"decisions", decisions}};
  }

 private:
  std::string place_of(const std::string& name) const {
    const auto found = fields_.find(name);
    return found == fields_.end() ? name : found->second;
  }

  Value expression(const std::string& name, const std::string& text) const {
    Value inputs = Value::map();
    for (const auto& [field, place] : fields_) {
      if (field != place && text.find(field) != std::string::npos) inputs[field] = place;
    }
    return Value::Map{{"id", name}, {"inputs", inputs}, {"value", text}, {"because", name + " is {output}"}};
  }

  Value table(const Value& step) {
    const std::string& name = step.find("table")->as_string();
    const auto& outputs = step.find("out")->as_list();
    Value inputs = Value::map(), rules = Value::list();
    for (const Value& input : step.find("in")->as_list()) inputs[input.as_string()] = place_of(input.as_string());
    for (const Value& row : step.find("rules")->as_list()) {
      const auto& values = row.find("then")->as_list();
      Value then = Value::map();
      for (std::size_t at = 0; at < values.size(); ++at) then[outputs[at].as_string()] = values[at];
      const std::size_t number = rules.is_list() ? rules.as_list().size() + 1 : 1;
      rules.push_back(
          Value::Map{{"id", name + "." + std::to_string(number)},
                     {"when", *row.find("when")},
                     {"then", values.size() == 1 ? values[0] : then},
                     {"because", "rule " + std::to_string(number) + " with " + inputs.as_map()[0].first + " {" + inputs.as_map()[0].first + "}"}});
    }
    for (const Value& output : outputs) fields_[output.as_string()] = outputs.size() == 1 ? name : name + "." + output.as_string();
    return Value::Map{{"id", name}, {"hit_policy", "first"}, {"inputs", inputs}, {"rules", rules}};
  }

  const Value& file_;
  std::map<std::string, std::string> fields_;
};

std::string problems(const Issues& issues) {
  std::string text;
  for (const Issue& issue : issues) text += to_string(issue) + "\n";
  return text;
}

void read_columns(const Value& data, Workload& workload) {
  for (const auto& [name, values] : data.find("columns")->as_map()) {
    workload.inputs.push_back(name);
    const bool text = values.as_list().at(0).is_string();
    workload.is_text.push_back(text);
    auto& numbers = workload.numbers.emplace_back();
    auto& texts = workload.texts.emplace_back();
    for (const Value& value : values.as_list()) {
      if (text) {
        texts.push_back(value.as_string());
      } else {
        numbers.push_back(value.as_number());
      }
    }
  }
}

void read_expected(const Value& expected, Workload& workload) {
  workload.verdict = expected.find("verdict")->as_string();
  const Value& hits = *expected.find("hits");
  for (std::size_t at = 0; at < workload.tables.size(); ++at) {
    workload.hits.push_back((hits.is_map() ? *hits.find(workload.tables[at]) : hits.as_list()[at]).as_string());
  }
  for (const Value& code : expected.find("verdict_codes")->as_list()) workload.verdict_codes.push_back(code.as_string());
  workload.unit_cost_sum = expected.find("unit_cost_sum")->as_number();
}

Workload read() {
  Workload workload;
  const auto rules_file = load::read_document(data_folder() + "/rule_workload.yaml");
  const auto data_file = load::read_document(data_folder() + "/rule_workload.json");
  if (!rules_file || !data_file) {
    workload.problem = problems(rules_file.issues) + problems(data_file.issues);
    return workload;
  }
  const Value rules_value = load::to_value(rules_file.value->root), data = load::to_value(data_file.value->root);
  const Value text = BookWriter(rules_value).write(workload.tables);
  auto book = rules::load_book("rule_workload", {load::Document{rules_file.value->file, {}, load::from_value(text)}});
  if (!book) {
    workload.problem = problems(book.issues);
    return workload;
  }
  workload.books.push_back(std::move(*book.value));
  read_columns(data, workload);
  read_expected(*data.find("expected"), workload);
  return workload;
}

}  // namespace

const Workload& workload() {
  static const Workload value = read();
  return value;
}

}  // namespace steelyard::bench
