// Text -> Expr. Recursive descent over CEL's grammar; macros are expanded here, names are resolved by the checker.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "rules/language/expr.hpp"
#include "rules/language/lexer.hpp"

namespace steelyard::rules {

constexpr std::size_t most_expression_bytes = 4096;
constexpr int most_nesting = 64;

class Parser {
 public:
  /// Texts of literals live in `heap`.
  Parser(std::string_view source, ExprMode mode, Heap& heap);

  /// An expression up to the end of the text.
  Expr whole();
  /// An expression that may be followed by more.
  Expr expression();
  /// Without comparison and logic: an end of an interval.
  Expr additive();

  const Token& current() const { return current_; }
  bool at_symbol(std::string_view symbol) const;
  bool accept(std::string_view symbol);
  /// Steps over a word.
  void accept_word() { advance(); }
  void expect(std::string_view symbol, std::string_view after);
  bool at_end() const { return current_.kind == Token::Kind::end; }
  /// For looking ahead: where the current token starts, and going back there.
  std::size_t mark() const { return current_.offset; }
  void back_to(std::size_t mark);
  [[noreturn]] void stop(std::size_t offset, std::string message, std::string fix = {}) const;

 private:
  class Level;
  void advance();
  Expr logical_or();
  Expr logical_and();
  Expr relation();
  Expr multiplicative();
  Expr unary();
  Expr negative(std::size_t offset, bool odd);
  Expr member();
  Expr primary();
  Expr identifier();
  Expr number(bool negative);
  void read_unit(Expr& number);
  Expr method(Expr target, const Token& name);
  Expr macro(Expr target, const Token& name, Op op);
  Expr has_macro(const Token& name);
  std::vector<Expr> arguments(std::string_view close);
  Expr map_literal();
  Expr binary(Op op, Expr left, Expr right, std::size_t offset) const;

  Lexer lexer_;
  ExprMode mode_;
  Heap& heap_;
  Token current_;
  int depth_ = 0;
  std::vector<std::string> locals_;
};

/// The whole text, or why not.
std::variant<Expr, Fault> parse_expression(std::string_view source, ExprMode mode, Heap& heap);

}  // namespace steelyard::rules
