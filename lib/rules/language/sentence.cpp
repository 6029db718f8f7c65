#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "rules/language/expression.hpp"
#include "rules/language/parser.hpp"
#include "words/phrases.hpp"

namespace steelyard::rules {

namespace {

// The end of "{expr" that opens at `open`: braces and quotes inside are skipped.
std::size_t closing_brace(const std::string& text, std::size_t open) {
  int depth = 0;
  char quote = '\0';
  for (std::size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return at;
    }
  }
  return std::string::npos;
}

// "price:3" -> 3 digits; the colon of `a ? b : 3` is set off by a space.
int take_digits(std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || text[colon - 1] == ' ' || text.size() - colon > 3) return 0;
  const auto digits = parse_integer(text.substr(colon + 1));
  if (!digits || *digits < 1 || *digits > 15) return 0;
  text.resize(colon);
  return static_cast<int>(*digits);
}

Sentence::Piece computed_piece(std::string inner, std::size_t offset, const SourceLocation& where, Heap& heap, Faults& faults) {
  Sentence::Piece piece;
  piece.computed = true;
  piece.digits = take_digits(inner);
  piece.expression.text = inner;
  piece.expression.where = where;
  if (where.column > 0) piece.expression.where.column += static_cast<int>(offset);
  auto parsed = parse_expression(piece.expression.text, ExprMode::book, heap);
  if (auto* fault = std::get_if<Fault>(&parsed)) {
    faults.push_back({offset + fault->offset, fault->message, fault->fix});
    piece.expression.expr.op = Op::fail;
  } else {
    piece.expression.expr = std::move(std::get<Expr>(parsed));
  }
  return piece;
}

}  // namespace

Sentence parse_sentence(const std::string& text, const SourceLocation& where, Heap& heap, Faults& faults) {
  Sentence sentence;
  sentence.text = text;
  sentence.where = where;
  std::string plain;
  const auto flush = [&] {
    if (plain.empty()) return;
    sentence.pieces.emplace_back().text = plain;
    plain.clear();
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool doubled = at + 1 < text.size() && text[at + 1] == text[at];
    if ((text[at] == '{' || text[at] == '}') && doubled) {
      plain += text[at++];
    } else if (text[at] == '{') {
      const std::size_t end = closing_brace(text, at);
      if (end == std::string::npos) {
        faults.push_back({at, "'{' without '}'", "write {{ for a brace"});
        break;
      }
      flush();
      sentence.pieces.push_back(computed_piece(text.substr(at + 1, end - at - 1), at + 1, where, heap, faults));
      at = end;
    } else {
      plain += text[at];
    }
  }
  flush();
  return sentence;
}

std::string spoken(const Datum& value, int digits, Language language) {
  constexpr int usual_digits = 6;
  const auto say = [&](std::string_view word) { return words::Phrases::of(language).say(word); };
  switch (value.kind) {
    case Kind::unknown:
    case Kind::null: return say(describe(value));
    case Kind::text: return *value.text;
    case Kind::error: return "(" + *value.text + ")";
    case Kind::integer: return std::to_string(value.integer);
    case Kind::real: {
      if (!std::isfinite(value.real)) return describe(value);
      const bool whole = value.real == std::floor(value.real) && std::abs(value.real) < 1e15;
      if (digits == 0 && whole) return format_number(value.real);
      return format_rounded(value.real, digits == 0 ? usual_digits : digits);
    }
    case Kind::list: {
      std::vector<std::string> items;
      for (const Datum& item : *value.list) items.push_back(spoken(item, digits, language));
      return items.empty() ? say("none") : join(items, ", ");
    }
    case Kind::map: return to_json(to_value(value));
    default: return describe(value);
  }
}

void fill(const Sentence& sentence, Frame& frame, std::string& text) {
  text.clear();
  for (const Sentence::Piece& piece : sentence.pieces) {
    if (piece.computed) {
      text += spoken(evaluate(piece.expression.expr, frame), piece.digits, sentence.language);
    } else {
      text += piece.text;
    }
  }
}

}  // namespace steelyard::rules
