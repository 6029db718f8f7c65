#include "rules/language/model.hpp"

#include <exception>

#include "core/text.hpp"
#include "rules/columns/fact_column.hpp"

namespace steelyard::rules {

std::optional<Type> parse_type(std::string_view word) {
  if (word == "number") return Type::number;
  if (word == "bool") return Type::boolean;
  if (word == "string") return Type::text;
  if (word == "list") return Type::list;
  if (word == "map") return Type::map;
  return word == "any" ? std::optional(Type::any) : std::nullopt;
}

namespace {

class SignatureReader {
 public:
  SignatureReader(const std::string& name, Issues& issues) : name_(name), issues_(issues) {}

  void read(const std::string& type_word, const std::string& unit_text, const std::string& of, Type& type, Unit& unit) {
    const auto found = parse_type(type_word);
    if (!found) issue(of + ": unknown type '" + type_word + "'", "write number, bool, string, list, map or any");
    type = found.value_or(Type::any);
    if (unit_text.empty()) return;
    if (type != Type::number) issue(of + ": only numbers have a unit", "leave the unit out");
    const auto stated = parse_unit(unit_text);
    const auto near = nearest_words(unit_text, unit_words(), 1);
    if (!stated) issue(of + ": unknown unit '" + unit_text + "'", near.empty() ? "write it like GiB or USD/h" : "did you mean " + near[0] + "?");
    if (stated) unit = *stated;
  }
  void issue(const std::string& message, const std::string& fix) {
    Issue& issue = issues_.emplace_back();
    issue.message = "function " + name_ + ": " + message;
    issue.fix = fix;
  }

 private:
  const std::string& name_;
  Issues& issues_;
};

Datum wrong_kind(const std::string& name, const std::string& of, Type type, const Value& found, Heap& heap) {
  return heap.error(name + "(): " + of + ": expected a " + std::string(type_name(type)) + ", found " + to_json(found));
}

}  // namespace

Models make_models(const ModelFunctions& functions, Issues& issues) {
  Models models;
  for (const ModelFunction& function : functions) {
    auto model = std::make_shared<Model>();
    model->function = function;
    SignatureReader signature(function.name, issues);
    for (const auto& parameter : function.parameters) {
      signature.read(parameter.type, parameter.unit, "parameter " + parameter.name, model->types.emplace_back(), model->units.emplace_back());
    }
    signature.read(function.type, function.unit, "result", model->type, model->unit);
    if (!function.call) signature.issue("nothing to call", "set `call`");
    if (!models.emplace(function.name, std::move(model)).second) signature.issue("the name stands twice", "give each function a name of its own");
  }
  return models;
}

Datum call_model(const Model& model, std::span<const Datum> arguments, int name, Heap& heap) {
  const ModelFunction& function = model.function;
  std::vector<Value> values;
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    values.push_back(to_value(arguments[at]));
    if (!fits(model.types[at], values[at])) return wrong_kind(function.name, function.parameters[at].name, model.types[at], values[at], heap);
  }
  try {
    const std::optional<Value> result = function.call(values);
    if (!result) return heap.unknown({name});
    if (!result->is_null() && !fits(model.type, *result)) return wrong_kind(function.name, "result", model.type, *result, heap);
    Heap scratch;
    return copy(to_datum(*result, scratch, true), heap);
  } catch (const std::exception& error) {  // the program's own fault must not end the session
    return heap.error(function.name + "(): " + error.what());
  }
}

}  // namespace steelyard::rules
