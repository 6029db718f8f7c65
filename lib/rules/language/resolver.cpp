// Names -> slots, function names -> functions.
#include <algorithm>

#include "core/text.hpp"
#include "rules/language/checker.hpp"
#include "rules/language/functions.hpp"
#include "rules/language/model.hpp"

namespace steelyard::rules {

namespace {

// The names of a chain a.b.c that starts with a plain name, outermost last; empty for any other expression.
std::vector<std::string> chain_of(const Expr& expr) {
  if (expr.op == Op::name) return {expr.text};
  if (expr.op != Op::select) return {};
  std::vector<std::string> names = chain_of(expr.args[0]);
  if (!names.empty()) names.push_back(expr.text);
  return names;
}

std::string dotted(const std::vector<std::string>& names, std::size_t count) {
  std::string text = names[0];
  for (std::size_t at = 1; at < count; ++at) text += "." + names[at];
  return text;
}

class Resolver {
 public:
  Resolver(const Scope& scope, ExprMode mode, Faults& faults) : scope_(scope), mode_(mode), faults_(faults) {}

  void run(Expr& expr) {
    if (expr.op == Op::name || expr.op == Op::select) {
      const auto names = chain_of(expr);
      if (!names.empty()) return resolve_chain(expr, names);
    }
    if (expr.op == Op::call) find_model(expr);
    for (Expr& argument : expr.args) run(argument);
    if (expr.op == Op::call) resolve_call(expr);
  }

 private:
  // The longest known beginning of a.b.c is the name, the rest selects fields.
  void resolve_chain(Expr& expr, const std::vector<std::string>& names) {
    for (std::size_t count = names.size(); count > 0; --count) {
      if (const auto meaning = scope_.find(dotted(names, count))) return place(expr, *meaning, names, count);
    }
    const std::string name = dotted(names, names.size());
    if (mode_ == ExprMode::book) faults_.push_back({first_offset(expr), "unknown name '" + name + "'", advice(name)});
    expr.args.clear();
    expr.op = Op::fail;
    expr.text = "undeclared reference to '" + name + "'";
  }

  static std::size_t first_offset(const Expr& expr) { return expr.args.empty() ? expr.offset : first_offset(expr.args[0]); }

  std::string advice(const std::string& name) const {
    const auto near = nearest_words(name, scope_.known_names(), 1);
    if (!near.empty()) return "did you mean " + near[0] + "?";
    const bool word = name.find('.') == std::string::npos;
    return word ? "declare the fact, or write \"" + name + "\" for a text" : "declare the fact under facts/";
  }

  // `rest` counts the selects that remain on top of the name, from the outside.
  void place(Expr& expr, const Meaning& meaning, const std::vector<std::string>& names, std::size_t count) {
    if (count < names.size()) {
      place_inner(expr.args[0], meaning, names, count);
      const bool part = mode_ == ExprMode::book && meaning.fact;
      if (!part) return;
      expr.op = Op::path;
      expr.number = scope_.name_number(dotted(names, names.size()));
      return;
    }
    expr.offset = static_cast<std::uint32_t>(first_offset(expr));  // the whole name, not its last part
    expr.args.clear();
    expr.op = Op::slot;
    expr.text = dotted(names, count);
    expr.number = meaning.slot;
  }

  void place_inner(Expr& expr, const Meaning& meaning, std::vector<std::string> names, std::size_t count) {
    names.pop_back();
    place(expr, meaning, names, count);
  }

  // "storage.price(x)" reads like a method of storage; a function of that name goes before.
  void find_model(Expr& expr) {
    std::string name = expr.text;
    if (name[0] == '.') {
      const auto names = chain_of(expr.args[0]);
      if (names.empty()) return;
      name = dotted(names, names.size()) + name;
    }
    expr.model = scope_.model(name);
    if (!expr.model) return;
    if (expr.text[0] == '.') expr.args.erase(expr.args.begin());
    expr.text = name;
  }

  void resolve_model(Expr& expr) {
    const std::size_t wanted = expr.model->types.size();
    if (expr.args.size() != wanted) {
      std::vector<std::string> names;
      for (const auto& parameter : expr.model->function.parameters) names.push_back(parameter.name);
      return fail(expr, expr.text + "(): " + std::to_string(expr.args.size()) + " arguments, expected " + std::to_string(wanted),
                  "write " + expr.text + "(" + join(names, ", ") + ")");
    }
    expr.function = Function::model;
    expr.type = expr.model->type;
    expr.number = scope_.name_number(expr.text + "()");
  }

  void resolve_call(Expr& expr) {
    if (expr.model) return resolve_model(expr);
    const Signature* signature = find_function(expr.text);
    const std::string name = expr.text.substr(expr.text[0] == '.' ? 1 : 0);
    if (!signature) {
      std::vector<std::string> known = function_names(), models = scope_.model_names();
      known.insert(known.end(), models.begin(), models.end());
      const auto near = nearest_words(expr.text, known, 1);
      return fail(expr, "unknown function '" + name + "'",
                  near.empty() ? "the functions: " + join(plain_names(), ", ") : "did you mean " + near[0].substr(near[0][0] == '.' ? 1 : 0) + "?");
    }
    if (expr.args.size() < signature->least || expr.args.size() > signature->most) {
      const std::size_t target = expr.text[0] == '.' ? 1 : 0;
      return fail(expr,
                  name + "(): " + std::to_string(expr.args.size() - target) + " arguments, expected " + std::to_string(signature->least - target),
                  "write " + name + "(" + (signature->least > target ? "x" : "") + ")");
    }
    expr.function = signature->function;
    expr.type = signature->result;
    if (expr.function == Function::matches && expr.args[1].op == Op::literal && expr.args[1].value.kind == Kind::text) {
      std::string error;
      expr.pattern = compile_pattern(*expr.args[1].value.text, error);
      if (!expr.pattern) fail(expr, error, "write it in RE2 syntax");
    }
  }

  static std::vector<std::string> plain_names() {
    std::vector<std::string> names;
    for (const std::string& name : function_names()) names.push_back(name.substr(name[0] == '.' ? 1 : 0));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  void fail(Expr& expr, const std::string& message, const std::string& fix) {
    if (mode_ == ExprMode::book) faults_.push_back({expr.offset, message, fix});
    expr.op = Op::fail;
    expr.args.clear();
    expr.text = message;
  }

  const Scope& scope_;
  ExprMode mode_;
  Faults& faults_;
};

}  // namespace

void resolve(Expr& expr, const Scope& scope, ExprMode mode, Faults& faults) { Resolver(scope, mode, faults).run(expr); }

void each_model(const Expr& expr, const std::function<void(const Model&)>& visit) {
  if (expr.model) visit(*expr.model);
  for (const Expr& argument : expr.args) each_model(argument, visit);
}

void each_slot(const Expr& expr, const std::function<void(int)>& visit) {
  if (expr.op == Op::slot) visit(expr.number);
  for (const Expr& argument : expr.args) each_slot(argument, visit);
}

}  // namespace steelyard::rules
