#include "rules/language/lexer.hpp"

#include <charconv>

#include "rules/language/real_text.hpp"

namespace steelyard::rules {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

void append_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&](std::uint32_t bits) { text += static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | code >> 6);
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3F));
    byte(0x80 | (code >> 6 & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

}  // namespace

void Lexer::stop(std::size_t offset, std::string message, std::string fix) const { throw ParseStop{{offset, std::move(message), std::move(fix)}}; }

Token Lexer::token(Token::Kind kind, std::size_t start) const {
  Token token;
  token.kind = kind;
  token.offset = start;
  token.spelling = source_.substr(start, at_ - start);
  return token;
}

void Lexer::skip_space() {
  while (at_ < source_.size()) {
    const char c = peek();
    if (c == '/' && peek(1) == '/') {
      while (at_ < source_.size() && peek() != '\n') ++at_;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      ++at_;
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_space();
  const std::size_t start = at_;
  if (at_ >= source_.size()) return token(Token::Kind::end, start);
  const char c = peek();
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
  if (c == '"' || c == '\'') return quoted(false);
  if ((c == 'r' || c == 'R') && (peek(1) == '"' || peek(1) == '\'')) {
    ++at_;
    return quoted(true);
  }
  if ((c == 'b' || c == 'B') && (peek(1) == '"' || peek(1) == '\'')) stop(start, "bytes are not part of the rule language", "use a string");
  if (is_letter(c)) {
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    return token(Token::Kind::identifier, start);
  }
  constexpr std::string_view pairs[] = {"&&", "||", "==", "!=", "<=", ">=", ".."};
  for (const std::string_view pair : pairs) {
    if (source_.substr(at_, 2) == pair) {
      at_ += 2;
      return token(Token::Kind::symbol, start);
    }
  }
  if (std::string_view("+-*/%!<>?:.,()[]{}").find(c) == std::string_view::npos) {
    const bool assign = c == '=';
    stop(start, std::string("unexpected '") + c + "'",
         assign                 ? "write == to compare"
         : c == '&' || c == '|' ? std::string("write ") + c + c
                                : "take it out; a text needs quotes");
  }
  ++at_;
  return token(Token::Kind::symbol, start);
}

Token Lexer::hexadecimal() {
  const std::size_t start = at_;
  at_ += 2;
  while (is_hex(peek())) ++at_;
  Token found = token(Token::Kind::integer, start);
  const char* end = source_.data() + at_;
  const auto [last, error] = std::from_chars(source_.data() + start + 2, end, found.integer, 16);
  if (error != std::errc{} || last != end)
    stop(start, "'" + std::string(found.spelling) + "' is no 64-bit integer", "write at most 16 hexadecimal digits");
  found.real = static_cast<double>(found.integer);
  return found;
}

Token Lexer::number() {
  const std::size_t start = at_;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && is_hex(peek(2))) return hexadecimal();
  bool real = false;
  while (is_digit(peek())) ++at_;
  if (peek() == '.' && is_digit(peek(1))) {  // "500..600" is an interval
    real = true;
    ++at_;
    while (is_digit(peek())) ++at_;
  }
  const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
  if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
    real = true;
    at_ += 1 + sign;
    while (is_digit(peek())) ++at_;
  }
  Token found = token(real ? Token::Kind::real : Token::Kind::integer, start);
  const char* end = source_.data() + at_;
  if (!read_real(found.spelling, found.real)) {
    constexpr std::size_t shown = 20;
    const std::string digits = found.spelling.size() > shown ? std::string(found.spelling.substr(0, shown)) + "..." : std::string(found.spelling);
    stop(start, "'" + digits + "' is out of the range of a double", "numbers go up to 1.7e308");
  }
  if (!real && std::from_chars(source_.data() + start, end, found.integer).ec != std::errc{}) {
    stop(start, "'" + std::string(found.spelling) + "' is out of the range of a 64-bit integer", "write " + std::string(found.spelling) + ".0");
  }
  return found;
}

Token Lexer::quoted(bool raw) {
  const std::size_t start = raw ? at_ - 1 : at_;
  const char quote = peek();
  const bool triple = peek(1) == quote && peek(2) == quote;
  const std::string_view close = source_.substr(at_, triple ? 3 : 1);
  at_ += close.size();
  std::string text;
  while (source_.substr(at_, close.size()) != close) {
    if (at_ >= source_.size() || (!triple && (peek() == '\n' || peek() == '\r'))) {
      stop(start, "a string without its closing " + std::string(close), "add " + std::string(close));
    }
    if (peek() == '\\' && !raw) {
      escape(text);
    } else {
      if (peek() == '\\' && at_ + 1 < source_.size()) text += source_[at_++];  // raw: a quote behind a backslash does not close
      text += source_[at_++];
    }
  }
  at_ += close.size();
  Token found = token(Token::Kind::text, start);
  found.text = std::move(text);
  return found;
}

std::uint32_t Lexer::code_point(std::size_t digits, unsigned base) {
  const std::size_t start = at_;
  std::uint32_t code = 0;
  const auto piece = source_.substr(at_, digits);
  const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), code, static_cast<int>(base));
  const bool whole = piece.size() == digits && error == std::errc{} && end == piece.data() + piece.size();
  if (!whole)
    stop(start, "an escape needs " + std::to_string(digits) + (base == 8 ? " octal digits" : " hexadecimal digits"), "write \\\\ for a backslash");
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
    stop(start, "no such Unicode character", "write a code below 110000 that is no surrogate");
  at_ += digits;
  return code;
}

void Lexer::escape(std::string& text) {
  const std::size_t start = at_;
  ++at_;
  const char c = peek();
  constexpr std::string_view names = "abfnrtv\\?\"'`", meant = "\a\b\f\n\r\t\v\\?\"'`";
  if (const auto found = names.find(c); c != '\0' && found != std::string_view::npos) {
    text += meant[found];
    ++at_;
    return;
  }
  if (c >= '0' && c <= '3') return append_utf8(text, code_point(3, 8));
  ++at_;
  if (c == 'x' || c == 'X') return append_utf8(text, code_point(2, 16));
  if (c == 'u') return append_utf8(text, code_point(4, 16));
  if (c == 'U') return append_utf8(text, code_point(8, 16));
  stop(start, std::string("unknown escape \\") + c, "write \\\\ for a backslash");
}

}  // namespace steelyard::rules
