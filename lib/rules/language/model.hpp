// Functions that the program gives to a book: their signatures in the language's own terms.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <steelyard/rule_book.hpp>
#include <string>
#include <vector>

#include "rules/language/expr.hpp"

namespace steelyard::rules {

struct Model {
  ModelFunction function;
  std::vector<Type> types;  // of the parameters
  std::vector<Unit> units;
  Type type = Type::any;  // of the result
  Unit unit;
};
using Models = std::map<std::string, std::shared_ptr<const Model>, std::less<>>;

/// "number" -> Type::number; empty where there is no such word.
std::optional<Type> parse_type(std::string_view word);
/// A signature that cannot be is an issue without a place.
Models make_models(const ModelFunctions& functions, Issues& issues);
/// All arguments known. `name` stands in for a result that is not known.
Datum call_model(const Model& model, std::span<const Datum> arguments, int name, Heap& heap);

}  // namespace steelyard::rules
