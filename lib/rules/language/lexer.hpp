// Splits the text of an expression into tokens (CEL's lexical rules, and `..` of intervals).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rules/language/expr.hpp"

namespace steelyard::rules {

struct Token {
  enum class Kind : unsigned char { end, identifier, integer, real, text, symbol };
  Kind kind = Kind::end;
  std::size_t offset = 0;
  std::string_view spelling;  // as written
  std::string text;           // of a text: without quotes and escapes
  double real = 0;
  std::uint64_t integer = 0;  // magnitude; the sign is the parser's
};

/// Thrown inside the language folder when a text cannot be read on.
struct ParseStop {
  Fault fault;
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  /// The next token; ParseStop where there is none.
  Token next();
  std::size_t position() const { return at_; }
  void move_to(std::size_t position) { at_ = position; }
  std::string_view source() const { return source_; }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  void skip_space();
  Token number();
  Token hexadecimal();
  Token quoted(bool raw);
  void escape(std::string& text);
  std::uint32_t code_point(std::size_t digits, unsigned base);
  Token token(Token::Kind kind, std::size_t start) const;
  [[noreturn]] void stop(std::size_t offset, std::string message, std::string fix = {}) const;

  std::string_view source_;
  std::size_t at_ = 0;
};

}  // namespace steelyard::rules
