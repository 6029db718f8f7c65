#include "rules/lint/expression_text.hpp"

#include "core/text.hpp"
#include "rules/language/operators.hpp"

namespace steelyard::rules::analysis {

const Expr& meant(const Expr& expr, const BookData& book) {
  if (expr.op != Op::slot || expr.number < book.first_input()) return expr;
  const auto [decision, input] = book.computed_inputs[static_cast<std::size_t>(expr.number - book.first_input())];
  return meant(book.decisions[static_cast<std::size_t>(decision)].inputs[static_cast<std::size_t>(input)].expression.expr, book);
}

namespace {

class Writer {
 public:
  explicit Writer(const BookData* book) : book_(book) {}

  std::string write(const Expr& expr) const {
    if (book_ && expr.op == Op::slot && expr.number >= book_->first_input()) return write(meant(expr, *book_));
    switch (expr.op) {
      case Op::literal: return to_json(to_value(expr.value));
      case Op::slot: return book_ ? "#" + std::to_string(expr.number) : expr.text;
      case Op::local: return "it" + std::to_string(expr.number);
      case Op::path:
      case Op::select: return write(expr.args[0]) + "." + expr.text;
      case Op::index: return write(expr.args[0]) + "[" + write(expr.args[1]) + "]";
      case Op::negate: return "-" + write(expr.args[0]);
      case Op::logical_not: return "!" + write(expr.args[0]);
      case Op::logical_and: return "(" + write(expr.args[0]) + " && " + write(expr.args[1]) + ")";
      case Op::logical_or: return "(" + write(expr.args[0]) + " || " + write(expr.args[1]) + ")";
      case Op::conditional: return "(" + write(expr.args[0]) + " ? " + write(expr.args[1]) + " : " + write(expr.args[2]) + ")";
      case Op::call: return call(expr);
      case Op::make_list: return "[" + list(expr, 0) + "]";
      default: break;
    }
    const std::string_view symbol = symbol_of(expr.op);
    if (symbol != "?" && expr.args.size() == 2)
      return operand(expr.args[0], expr.op) + " " + std::string(symbol) + " " + operand(expr.args[1], Op::literal);
    return word(expr.op) + "(" + list(expr, 0) + ")";
  }

 private:
  std::string call(const Expr& expr) const {
    if (expr.text.starts_with('.')) return write(expr.args[0]) + expr.text + "(" + list(expr, 1) + ")";
    return expr.text + "(" + list(expr, 0) + ")";
  }

  // a * b * c, but (a + b) * c and a - (b + c).
  std::string operand(const Expr& expr, Op same) const {
    const std::string text = write(expr);
    return symbol_of(expr.op) != "?" && expr.args.size() == 2 && expr.op != same ? "(" + text + ")" : text;
  }

  std::string list(const Expr& expr, std::size_t from) const {
    std::vector<std::string> items;
    for (std::size_t at = from; at < expr.args.size(); ++at) items.push_back(write(expr.args[at]));
    return join(items, ", ");
  }

  static std::string word(Op op) {
    switch (op) {
      case Op::has: return "has";
      case Op::all: return "all";
      case Op::exists: return "exists";
      case Op::exists_one: return "exists_one";
      case Op::filter: return "filter";
      case Op::map: return "map";
      default: return "operation " + std::to_string(static_cast<int>(op));
    }
  }

  const BookData* book_;
};

}  // namespace

std::string readable(const Expr& expr) { return Writer(nullptr).write(expr); }
std::string key_of(const Expr& expr, const BookData& book) { return Writer(&book).write(expr); }

}  // namespace steelyard::rules::analysis
