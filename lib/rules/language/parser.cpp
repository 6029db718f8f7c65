#include "rules/language/parser.hpp"

#include <algorithm>
#include <limits>

#include "core/text.hpp"

namespace steelyard::rules {

namespace {

constexpr std::string_view reserved[] = {"as",  "break", "const",     "continue", "else",   "for", "function", "if",   "import",
                                         "let", "loop",  "namespace", "package",  "return", "var", "void",     "while"};

bool is_reserved(std::string_view word) { return std::find(std::begin(reserved), std::end(reserved), word) != std::end(reserved); }

Expr make(Op op, std::size_t offset) {
  Expr expr;
  expr.op = op;
  expr.offset = static_cast<std::uint32_t>(offset);
  return expr;
}

std::string found(const Token& token) { return token.kind == Token::Kind::end ? "the end" : "'" + std::string(token.spelling) + "'"; }

}  // namespace

// Counts nesting while it lives.
class Parser::Level {
 public:
  explicit Level(Parser& parser) : parser_(parser) {
    if (++parser_.depth_ > most_nesting)
      parser_.stop(parser_.mark(), "nested deeper than " + std::to_string(most_nesting) + " levels", "split the expression");
  }
  ~Level() { --parser_.depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  Parser& parser_;
};

Parser::Parser(std::string_view source, ExprMode mode, Heap& heap) : lexer_(source), mode_(mode), heap_(heap) {
  if (source.size() > most_expression_bytes) {
    stop(0, "an expression of " + std::to_string(source.size()) + " bytes; at most " + std::to_string(most_expression_bytes), "split it");
  }
  advance();
}

void Parser::stop(std::size_t offset, std::string message, std::string fix) const { throw ParseStop{{offset, std::move(message), std::move(fix)}}; }

void Parser::advance() { current_ = lexer_.next(); }

void Parser::back_to(std::size_t mark) {
  lexer_.move_to(mark);
  advance();
}

bool Parser::at_symbol(std::string_view symbol) const { return current_.kind == Token::Kind::symbol && current_.spelling == symbol; }

bool Parser::accept(std::string_view symbol) {
  if (!at_symbol(symbol)) return false;
  advance();
  return true;
}

void Parser::expect(std::string_view symbol, std::string_view after) {
  if (accept(symbol)) return;
  stop(mark(), "expected '" + std::string(symbol) + "' after " + std::string(after) + ", found " + found(current_),
       "add '" + std::string(symbol) + "'");
}

Expr Parser::whole() {
  Expr expr = expression();
  if (at_end()) return expr;
  const bool word = current_.kind == Token::Kind::identifier || current_.kind == Token::Kind::text;
  stop(mark(), "expected an operator, found " + found(current_),
       word ? "write && or || between conditions, quotes around a text" : "add an operator, or take the rest out");
}

Expr Parser::binary(Op op, Expr left, Expr right, std::size_t offset) const {
  Expr expr = make(op, offset);
  expr.args.push_back(std::move(left));
  expr.args.push_back(std::move(right));
  return expr;
}

Expr Parser::expression() {
  const Level level(*this);
  Expr condition = logical_or();
  const std::size_t offset = mark();
  if (!accept("?")) return condition;
  Expr expr = make(Op::conditional, offset);
  expr.args.push_back(std::move(condition));
  expr.args.push_back(logical_or());
  expect(":", "the first result of ?");
  expr.args.push_back(expression());
  return expr;
}

Expr Parser::logical_or() {
  Expr left = logical_and();
  for (std::size_t offset = mark(); accept("||"); offset = mark()) left = binary(Op::logical_or, std::move(left), logical_and(), offset);
  return left;
}

Expr Parser::logical_and() {
  Expr left = relation();
  for (std::size_t offset = mark(); accept("&&"); offset = mark()) left = binary(Op::logical_and, std::move(left), relation(), offset);
  return left;
}

Expr Parser::relation() {
  constexpr std::pair<std::string_view, Op> symbols[] = {{"==", Op::equal},         {"!=", Op::not_equal}, {"<=", Op::less_equal},
                                                         {">=", Op::greater_equal}, {"<", Op::less},       {">", Op::greater}};
  Expr left = additive();
  while (true) {
    const std::size_t offset = mark();
    if (current_.kind == Token::Kind::identifier && current_.spelling == "in") {
      advance();
      left = binary(Op::in, std::move(left), additive(), offset);
      continue;
    }
    const auto symbol = std::find_if(std::begin(symbols), std::end(symbols), [&](const auto& entry) { return at_symbol(entry.first); });
    if (symbol == std::end(symbols)) return left;
    advance();
    left = binary(symbol->second, std::move(left), additive(), offset);
  }
}

Expr Parser::additive() {
  Expr left = multiplicative();
  while (true) {
    const std::size_t offset = mark();
    if (accept("+")) {
      left = binary(Op::add, std::move(left), multiplicative(), offset);
    } else if (accept("-")) {
      left = binary(Op::subtract, std::move(left), multiplicative(), offset);
    } else {
      return left;
    }
  }
}

Expr Parser::multiplicative() {
  Expr left = unary();
  while (true) {
    const std::size_t offset = mark();
    if (accept("*")) {
      left = binary(Op::multiply, std::move(left), unary(), offset);
    } else if (accept("/")) {
      left = binary(Op::divide, std::move(left), unary(), offset);
    } else if (accept("%")) {
      left = binary(Op::modulo, std::move(left), unary(), offset);
    } else {
      return left;
    }
  }
}

// A run of signs is read in a loop: CEL allows many, and they must not count as nesting.
Expr Parser::unary() {
  const std::size_t offset = mark();
  int signs = 0;
  if (at_symbol("!")) {
    while (accept("!")) ++signs;
    Expr expr = member();
    for (; signs > 0; --signs) {
      Expr outer = make(Op::logical_not, offset);
      outer.args.push_back(std::move(expr));
      expr = std::move(outer);
    }
    return expr;
  }
  while (at_symbol("-")) {
    advance();
    ++signs;
  }
  return signs == 0 ? member() : negative(offset, signs % 2 == 1);
}

// The sign belongs to a number literal, so that the least integer can be written. An even run of signs still refuses what has no sign.
Expr Parser::negative(std::size_t offset, bool odd) {
  const bool literal = current_.kind == Token::Kind::integer || current_.kind == Token::Kind::real;
  if (literal && odd) return number(true);
  Expr expr = member();
  for (int count = odd ? 1 : 2; count > 0; --count) {
    Expr outer = make(Op::negate, offset);
    outer.args.push_back(std::move(expr));
    expr = std::move(outer);
  }
  return expr;
}

Expr Parser::member() {
  Expr expr = primary();
  while (true) {
    const std::size_t offset = mark();
    if (accept(".")) {
      if (current_.kind != Token::Kind::identifier) stop(mark(), "expected a name after '.', found " + found(current_), "write x.name");
      const Token name = current_;
      if (name.spelling == "in" || name.spelling == "true" || name.spelling == "false" || name.spelling == "null") {
        stop(name.offset, "'" + std::string(name.spelling) + "' cannot be a field name", "write [\"" + std::string(name.spelling) + "\"]");
      }
      advance();
      if (at_symbol("(")) {
        expr = method(std::move(expr), name);
      } else {
        Expr outer = make(Op::select, name.offset);
        outer.text = std::string(name.spelling);
        outer.args.push_back(std::move(expr));
        expr = std::move(outer);
      }
    } else if (accept("[")) {
      expr = binary(Op::index, std::move(expr), expression(), offset);
      expect("]", "the index");
    } else {
      return expr;
    }
  }
}

Expr Parser::method(Expr target, const Token& name) {
  constexpr std::pair<std::string_view, Op> macros[] = {
      {"all", Op::all}, {"exists", Op::exists}, {"exists_one", Op::exists_one}, {"filter", Op::filter}, {"map", Op::map}};
  for (const auto& [word, op] : macros) {
    if (word == name.spelling) return macro(std::move(target), name, op);
  }
  Expr expr = make(Op::call, name.offset);
  expr.text = std::string(name.spelling);
  advance();
  const bool math = target.op == Op::name && target.text == "math";  // the one namespace of functions
  if (math) {
    expr.text = "math." + expr.text;
  } else {
    expr.text = "." + expr.text;
    expr.args.push_back(std::move(target));
  }
  for (Expr& argument : arguments(")")) expr.args.push_back(std::move(argument));
  return expr;
}

Expr Parser::macro(Expr target, const Token& name, Op op) {
  const std::string word(name.spelling);
  expect("(", word);
  if (current_.kind != Token::Kind::identifier)
    stop(mark(), word + ": expected a variable name, found " + found(current_), "write xs." + word + "(x, x > 0)");
  Expr expr = make(op, name.offset);
  expr.number = static_cast<int>(locals_.size());
  expr.args.push_back(std::move(target));
  locals_.emplace_back(current_.spelling);
  advance();
  expect(",", "the variable of " + word);
  expr.args.push_back(expression());
  if (op == Op::map && accept(",")) expr.args.push_back(expression());
  locals_.pop_back();
  expect(")", "the body of " + word);
  return expr;
}

std::vector<Expr> Parser::arguments(std::string_view close) {
  std::vector<Expr> list;
  while (!accept(close)) {
    list.push_back(expression());
    if (accept(close)) break;
    expect(",", "an element");
  }
  return list;
}

Expr Parser::map_literal() {
  Expr expr = make(Op::make_map, mark());
  while (!accept("}")) {
    expr.args.push_back(expression());
    expect(":", "a map key");
    expr.args.push_back(expression());
    if (accept("}")) break;
    expect(",", "a map entry");
  }
  return expr;
}

Expr Parser::has_macro(const Token& name) {
  Expr expr = make(Op::has, name.offset);
  expr.args = arguments(")");
  const bool fits = expr.args.size() == 1 && (expr.args[0].op == Op::select || (mode_ == ExprMode::book && expr.args[0].op == Op::name));
  if (!fits) stop(name.offset, "has() takes one field", "write has(offer.price)");
  return expr;
}

Expr Parser::identifier() {
  const bool rooted = accept(".");  // ".a": a name at the root, past all variables
  const Token name = current_;
  const std::string word(name.spelling);
  if (name.kind != Token::Kind::identifier)
    stop(name.offset, "expected a value, found " + found(name), "write a number, a \"text\", a name or (...) here");
  if (is_reserved(word) || word == "in") stop(name.offset, "'" + word + "' is a reserved word", "use another name");
  advance();
  if (!rooted && (word == "true" || word == "false" || word == "null")) {
    Expr expr = make(Op::literal, name.offset);
    if (word != "null") expr.value = Datum(word == "true");
    return expr;
  }
  if (accept("(")) {
    if (word == "has") return has_macro(name);
    Expr expr = make(Op::call, name.offset);
    expr.text = word;
    expr.args = arguments(")");
    return expr;
  }
  const auto local = std::find(locals_.rbegin(), locals_.rend(), word);
  Expr expr = make(!rooted && local != locals_.rend() ? Op::local : Op::name, name.offset);
  expr.text = word;
  expr.number = static_cast<int>(locals_.rend() - local) - 1;
  return expr;
}

Expr Parser::number(bool negative) {
  const Token token = current_;
  Expr expr = make(Op::literal, token.offset);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (mode_ == ExprMode::book || token.kind == Token::Kind::real) {
    expr.value = Datum(negative ? -token.real : token.real);
  } else if (token.integer > most + (negative ? 1 : 0)) {
    stop(token.offset, "'" + std::string(token.spelling) + "' is out of the range of a 64-bit integer", "write it with .0 as a double");
  } else {
    expr.value = Datum(static_cast<std::int64_t>(negative ? 0 - token.integer : token.integer));
  }
  expr.bare = true;
  advance();
  if (mode_ == ExprMode::book) read_unit(expr);
  return expr;
}

// "80 GiB", "0.05 USD/h": the unit is one word without spaces; a slash continues it only before another unit word.
void Parser::read_unit(Expr& number) {
  if (current_.kind != Token::Kind::identifier || current_.spelling == "in") return;
  const std::string_view source = lexer_.source();
  std::size_t end = current_.offset + current_.spelling.size();
  const std::string_view first = current_.spelling;
  if (!parse_unit(first)) {
    const auto near = nearest_words(first, unit_words(), 1);
    stop(mark(), "unknown unit '" + std::string(first) + "'",
         near.empty() ? "write an operator between a number and a name" : "did you mean " + near[0] + "?");
  }
  while (end + 1 < source.size() && source[end] == '/') {
    std::size_t next = end + 1;
    while (next < source.size() && ((source[next] | 32) >= 'a' && (source[next] | 32) <= 'z')) ++next;
    if (!parse_unit(source.substr(end + 1, next - end - 1))) break;
    end = next;
  }
  number.unit = *parse_unit(source.substr(current_.offset, end - current_.offset));
  number.bare = false;
  lexer_.move_to(end);
  advance();
}

Expr Parser::primary() {
  const Token token = current_;
  if (token.kind == Token::Kind::integer || token.kind == Token::Kind::real) return number(false);
  if (token.kind == Token::Kind::text) {
    Expr expr = make(Op::literal, token.offset);
    expr.value = heap_.text(token.text);
    advance();
    return expr;
  }
  if (accept("(")) {
    Expr expr = expression();
    expect(")", "an expression in parentheses");
    return expr;
  }
  if (accept("[")) {
    Expr expr = make(Op::make_list, token.offset);
    expr.args = arguments("]");
    return expr;
  }
  if (accept("{")) return map_literal();
  return identifier();
}

std::variant<Expr, Fault> parse_expression(std::string_view source, ExprMode mode, Heap& heap) {
  try {
    return Parser(source, mode, heap).whole();
  } catch (const ParseStop& stop) {
    return stop.fault;
  }
}

}  // namespace steelyard::rules
