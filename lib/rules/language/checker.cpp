// Kinds and units of resolved expressions; folding of constants.
#include "rules/language/checker.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "rules/language/evaluator.hpp"
#include "rules/language/model.hpp"
#include "rules/language/operators.hpp"

namespace steelyard::rules {

std::string_view type_name(Type type) {
  constexpr std::string_view names[] = {"any value", "null", "bool", "integer", "number", "string", "list", "map"};
  return names[static_cast<int>(type)];
}

namespace {

Type type_of(const Datum& value) {
  switch (value.kind) {
    case Kind::boolean: return Type::boolean;
    case Kind::integer:
    case Kind::real: return Type::number;
    case Kind::text: return Type::text;
    case Kind::list: return Type::list;
    case Kind::map: return Type::map;
    case Kind::null: return Type::null;
    default: return Type::any;
  }
}

// Constants need no facts; a slot that is asked for all the same is a fault of ours.
class NoFacts : public Frame {
 public:
  NoFacts() : Frame(0, ExprMode::book) {}

 protected:
  Datum compute(int) override { return heap().error("not a constant"); }
};

class Checker {
 public:
  Checker(const Scope& scope, Heap& heap, Faults& faults) : scope_(scope), heap_(heap), faults_(faults) {}

  void run(Expr& expr) {
    for (Expr& argument : expr.args) run(argument);
    judge(expr);
    fold(expr);
  }

 private:
  void judge(Expr& expr) {
    switch (expr.op) {
      case Op::literal: expr.type = type_of(expr.value); break;
      case Op::slot: judge_slot(expr); break;
      case Op::select: judge_select(expr); break;
      case Op::path: judge_path(expr); break;
      case Op::make_list: expr.type = Type::list; break;
      case Op::make_map: expr.type = Type::map; break;
      case Op::negate: judge_negate(expr); break;
      case Op::logical_not:
      case Op::logical_and:
      case Op::logical_or: judge_logic(expr); break;
      case Op::conditional: judge_conditional(expr); break;
      case Op::add:
      case Op::subtract:
      case Op::modulo: judge_sum(expr); break;
      case Op::multiply:
      case Op::divide: judge_product(expr); break;
      case Op::equal:
      case Op::not_equal: judge_equal(expr); break;
      case Op::less:
      case Op::less_equal:
      case Op::greater:
      case Op::greater_equal: judge_order(expr); break;
      case Op::in: judge_in(expr); break;
      case Op::has:
      case Op::all:
      case Op::exists:
      case Op::exists_one: expr.type = Type::boolean; break;
      case Op::filter:
      case Op::map: expr.type = Type::list; break;
      case Op::call: judge_call(expr); break;
      default: break;
    }
  }

  void fault(const Expr& expr, std::string message, std::string fix = {}) { faults_.push_back({expr.offset, std::move(message), std::move(fix)}); }

  void judge_slot(Expr& expr) {
    const Meaning* meaning = scope_.meaning(expr.number);
    if (!meaning) return;
    expr.type = meaning->type;
    expr.unit = meaning->unit;
  }

  static std::string path_text(const Expr& expr) { return expr.op == Op::path ? path_text(expr.args[0]) + "." + expr.text : expr.text; }

  // A part of a fact that is no map: mostly a slip in a longer name.
  void judge_path(Expr& expr) {
    const Type base = expr.args[0].type;
    if (base == Type::any || base == Type::map) return;
    const std::string name = path_text(expr);
    const auto near = nearest_words(name, scope_.known_names(), 1);
    fault(expr, "." + expr.text + ": " + path_text(expr.args[0]) + " is a " + std::string(type_name(base)) + ", it has no fields",
          near.empty() ? "declare the fact " + name : "did you mean " + near[0] + "?");
  }

  // A field of a decision: its outputs are known.
  void judge_select(Expr& expr) {
    const Expr& base = expr.args[0];
    if (base.type != Type::any && base.type != Type::map) {
      return fault(
          expr,
          "." + expr.text + ": " + (base.text.empty() ? "this" : base.text) + " is a " + std::string(type_name(base.type)) + ", it has no fields",
          "take ." + expr.text + " out, or name a fact with that field");
    }
    const Meaning* meaning = base.op == Op::slot ? scope_.meaning(base.number) : nullptr;
    if (!meaning || !meaning->keys || meaning->keys->empty()) return;
    const auto& keys = *meaning->keys;
    if (std::find(keys.begin(), keys.end(), expr.text) != keys.end()) return;
    const auto near = nearest_words(expr.text, keys, 1);
    fault(expr, base.text + " has no output '" + expr.text + "'",
          near.empty() ? "its outputs: " + join(keys, ", ") : "did you mean " + near[0] + "?");
  }

  void need(const Expr& expr, Type wanted, const std::string& where) {
    if (expr.type == Type::any || expr.type == wanted) return;
    const char* fix = wanted == Type::boolean  ? "compare it with something, as in x > 1"
                      : wanted == Type::number ? "use a number here"
                                               : "use a text here";
    fault(expr, where + ": expected a " + std::string(type_name(wanted)) + ", found a " + std::string(type_name(expr.type)), fix);
  }

  void judge_negate(Expr& expr) {
    need(expr.args[0], Type::number, "-");
    expr.type = Type::number;
    expr.unit = expr.args[0].unit;
    expr.bare = expr.args[0].bare;
  }

  void judge_logic(Expr& expr) {
    const std::string where = expr.op == Op::logical_not ? "!" : expr.op == Op::logical_and ? "&&" : "||";
    for (const Expr& argument : expr.args) need(argument, Type::boolean, where);
    expr.type = Type::boolean;
  }

  // One unit for both: a bare number takes the other's, a stated one is converted to the first.
  void agree(Expr& expr, Expr& left, Expr& right, const std::string& where) {
    if (left.bare && !right.bare) {
      left.unit = right.unit;
    } else if (right.bare && !left.bare) {
      right.unit = left.unit;
    } else if (left.unit.stated && right.unit.stated) {
      convert(right, left.unit, faults_, where);
    }
    if (expr.type != Type::boolean) expr.unit = left.unit.stated ? left.unit : right.unit;
  }

  void judge_conditional(Expr& expr) {
    need(expr.args[0], Type::boolean, "? :");
    const Expr &yes = expr.args[1], &no = expr.args[2];
    expr.type = yes.type == no.type ? yes.type : yes.type == Type::null ? no.type : no.type == Type::null ? yes.type : Type::any;
    expr.bare = yes.bare && no.bare;
    if (yes.type == Type::number || no.type == Type::number) agree(expr, expr.args[1], expr.args[2], "? :");
  }

  void judge_sum(Expr& expr) {
    Expr &left = expr.args[0], &right = expr.args[1];
    const std::string symbol(symbol_of(expr.op));
    const auto addable = [&](Type type) {
      return type == Type::any || type == Type::number || (expr.op == Op::add && (type == Type::text || type == Type::list));
    };
    if (!addable(left.type) || !addable(right.type) || (left.type != right.type && left.type != Type::any && right.type != Type::any)) {
      fault(expr, symbol + ": not for a " + std::string(type_name(left.type)) + " and a " + std::string(type_name(right.type)),
            expr.op == Op::add ? "add two numbers, two texts or two lists" : "use two numbers");
    }
    expr.type = left.type == Type::any ? right.type : left.type;
    expr.bare = left.bare && right.bare;
    agree(expr, left, right, symbol);
  }

  // A bare factor is a pure number.
  void judge_product(Expr& expr) {
    Expr &left = expr.args[0], &right = expr.args[1];
    const std::string symbol(symbol_of(expr.op));
    for (Expr* side : {&left, &right}) need(*side, Type::number, symbol);
    expr.type = Type::number;
    expr.bare = left.bare && right.bare;
    const auto factor = [](const Expr& side) {
      Unit unit = side.unit;
      if (side.bare) unit.stated = true;
      return unit;
    };
    if (!expr.bare) expr.unit = product(factor(left), factor(right), expr.op == Op::multiply ? 1 : -1);
  }

  const std::vector<std::string>* words_of(const Expr& expr) const {
    const Meaning* meaning = expr.op == Op::slot ? scope_.meaning(expr.number) : nullptr;
    return meaning ? meaning->words : nullptr;
  }

  // A text that the fact can never have is a slip of the pen.
  void check_word(const Expr& subject, const Expr& literal) {
    const auto* words = words_of(subject);
    if (!words || words->empty() || literal.op != Op::literal || literal.value.kind != Kind::text) return;
    const std::string& word = *literal.value.text;
    if (std::find(words->begin(), words->end(), word) != words->end()) return;
    const auto near = nearest_words(word, *words, 1);
    fault(literal, "'" + word + "' is none of the values of " + subject.text,
          near.empty() ? "its values: " + join(*words, ", ") : "did you mean " + near[0] + "?");
  }

  void judge_equal(Expr& expr) {
    Expr &left = expr.args[0], &right = expr.args[1];
    expr.type = Type::boolean;
    const auto open = [](Type type) { return type == Type::any || type == Type::null; };
    if (!open(left.type) && !open(right.type) && left.type != right.type) {
      fault(expr,
            std::string(symbol_of(expr.op)) + ": a " + std::string(type_name(left.type)) + " never equals a " + std::string(type_name(right.type)),
            left.type == Type::number || right.type == Type::number ? "write the number without quotes" : "compare two values of one type");
    }
    check_word(left, right);
    check_word(right, left);
    agree(expr, left, right, std::string(symbol_of(expr.op)));
  }

  void judge_order(Expr& expr) {
    Expr &left = expr.args[0], &right = expr.args[1];
    expr.type = Type::boolean;
    const auto ordered = [](Type type) { return type == Type::any || type == Type::number || type == Type::text || type == Type::boolean; };
    const bool same = left.type == right.type || left.type == Type::any || right.type == Type::any;
    if (!ordered(left.type) || !ordered(right.type) || !same) {
      return fault(
          expr,
          std::string(symbol_of(expr.op)) + ": no order between a " + std::string(type_name(left.type)) + " and a " +
              std::string(type_name(right.type)),
          left.type == Type::boolean ? "write a < x && x < b for both ends" : "compare two values of one type; numbers stand without quotes");
    }
    agree(expr, left, right, std::string(symbol_of(expr.op)));
  }

  void judge_in(Expr& expr) {
    Expr &element = expr.args[0], &container = expr.args[1];
    expr.type = Type::boolean;
    if (container.type != Type::any && container.type != Type::list && container.type != Type::map) {
      fault(container, "in: expected a list, found a " + std::string(type_name(container.type)), "write x in [1, 2]");
    }
    if (container.op == Op::make_list) {
      for (const Expr& item : container.args) check_word(element, item);
    }
    if (container.op != Op::literal || container.value.kind != Kind::list) return;
    for (const Datum& item : *container.value.list) {
      Expr literal;
      literal.offset = container.offset;
      literal.value = item;
      check_word(element, literal);
    }
  }

  void judge_call(Expr& expr) {
    switch (expr.function) {
      case Function::contains:
      case Function::starts_with:
      case Function::ends_with:
      case Function::matches:
        for (const Expr& argument : expr.args) need(argument, Type::text, expr.text.substr(expr.text[0] == '.' ? 1 : 0));
        break;
      case Function::ceil:
      case Function::floor:
      case Function::round:
      case Function::trunc:
      case Function::abs:
        need(expr.args[0], Type::number, expr.text);
        expr.unit = expr.args[0].unit;
        break;
      case Function::greatest:
      case Function::least:
        for (std::size_t at = 1; at < expr.args.size(); ++at) agree(expr, expr.args[0], expr.args[at], expr.text);
        break;
      case Function::dyn: expr.unit = expr.args[0].unit; break;
      case Function::model: judge_model(expr); break;
      default: break;
    }
  }

  void judge_model(Expr& expr) {
    for (std::size_t at = 0; at < expr.args.size(); ++at) {
      Expr& argument = expr.args[at];
      const std::string where = expr.text + "(): " + expr.model->function.parameters[at].name;
      if (expr.model->types[at] != Type::any) need(argument, expr.model->types[at], where);
      if (argument.type == Type::number) convert(argument, expr.model->units[at], faults_, where);
    }
    expr.type = expr.model->type;
    expr.unit = expr.model->unit;
  }

  void fold(Expr& expr) {
    if (expr.function == Function::model) return;  // the program is not asked while a book loads
    if (expr.args.empty() && expr.op != Op::make_list && expr.op != Op::make_map) return;
    const bool constant = std::all_of(expr.args.begin(), expr.args.end(), [](const Expr& argument) { return argument.op == Op::literal; });
    if (!constant) return;
    NoFacts frame;
    const Datum value = evaluate(expr, frame);
    if (value.kind == Kind::error) return fault(expr, *value.text, "these constants always fail: correct them");
    expr.op = Op::literal;
    expr.value = copy(value, heap_);
    expr.type = type_of(value);
    expr.args.clear();
  }

  const Scope& scope_;
  Heap& heap_;
  Faults& faults_;
};

}  // namespace

void check(Expr& expr, const Scope& scope, Heap& heap, Faults& faults) { Checker(scope, heap, faults).run(expr); }

void convert(Expr& expr, const Unit& wanted, Faults& faults, const std::string& what) {
  if (expr.bare) {
    expr.unit = wanted;
    return;
  }
  if (!expr.unit.stated || !wanted.stated) return;
  if (!expr.unit.same_dimension(wanted)) {
    faults.push_back({expr.offset, what + ": a quantity in " + dimension_name(expr.unit) + " meets one in " + dimension_name(wanted),
                      "use quantities of one kind"});
    return;
  }
  const double factor = expr.unit.scale / wanted.scale;
  if (factor == 1) return;
  if (expr.op == Op::literal && expr.value.kind == Kind::real) {
    expr.value.real *= factor;
  } else {
    Expr outer;
    outer.op = Op::multiply;
    outer.type = Type::number;
    outer.offset = expr.offset;
    outer.args.push_back(std::move(expr));
    outer.args.emplace_back();
    outer.args[1].value = Datum(factor);
    outer.args[1].type = Type::number;
    expr = std::move(outer);
  }
  expr.unit = wanted;
}

}  // namespace steelyard::rules
