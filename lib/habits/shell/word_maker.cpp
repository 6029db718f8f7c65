#include "habits/shell/word_maker.hpp"

#include <cctype>
#include <optional>
#include <string>

namespace steelyard::habits {

namespace {

constexpr std::size_t most_words = 200'000;  // variables that hold each other could grow without end

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

bool WordMaker::full() const { return made_ >= most_words; }

void WordMaker::flush(int line, int column) {
  if (!piece.marks.empty() || piece.quoted || piece.unresolved) {
    ++made_;
    words.push_back(piece.word(line, column));
  }
  piece = {};
}

void WordMaker::part() {
  const char c = cursor_.here();
  if (c == '\'') return single_quotes();
  if (c == '"') return double_quotes();
  if (c == '$') return dollar(false);
  if (c == '`') return backticks();
  if (c == '\\') {
    cursor_.next();
    if (cursor_.here() == '\n') return cursor_.next();
    if (cursor_.here() == '\r') return cursor_.next(2);
  }
  if (!cursor_.done()) put(cursor_.here());
  cursor_.next();
}

void WordMaker::single_quotes() {
  piece.quoted = true;
  for (cursor_.next(); !cursor_.done() && cursor_.here() != '\''; cursor_.next()) put(cursor_.here());
  cursor_.next();
}

void WordMaker::double_quotes() {
  piece.quoted = true;
  cursor_.next();
  while (!cursor_.done() && cursor_.here() != '"') {
    const char c = cursor_.here(), after = cursor_.here(1);
    if (c == '$') {
      dollar(true);
    } else if (c == '`') {
      backticks();
    } else if (c == '\\' && after == '\n') {
      cursor_.next(2);
    } else {
      if (c == '\\' && (after == '"' || after == '\\' || after == '$')) cursor_.next();
      put(cursor_.here());
      cursor_.next();
    }
  }
  cursor_.next();
}

// What is not run has no value here.
void WordMaker::unknown() {
  piece.unresolved = true;
  put('$');
}

void WordMaker::backticks() {
  unknown();
  for (cursor_.next(); !cursor_.done() && cursor_.here() != '`'; cursor_.next()) {
  }
  cursor_.next();
}

// $NAME, ${NAME}, ${NAME[@]}, ${NAME:-other}, $(command), $((arithmetic)).
void WordMaker::dollar(bool quoted) {
  cursor_.next();
  if (cursor_.here() == '(') return cursor_.here(1) == '(' ? arithmetic() : skip_nested('(', ')');
  std::string name, suffix;
  const bool braces = cursor_.here() == '{';
  if (braces) cursor_.next();
  for (; !cursor_.done() && in_name(cursor_.here()); cursor_.next()) name += cursor_.here();
  if (braces) {
    for (; !cursor_.done() && cursor_.here() != '}'; cursor_.next()) suffix += cursor_.here();
    cursor_.next();
  }
  const std::vector<Word>* known = variables_.find(name);
  const bool whole = suffix.empty() || suffix == "[@]" || suffix == "[*]" || suffix.rfind(":-", 0) == 0;
  if (known && whole) return insert(*known, quoted && suffix != "[@]");
  piece.unresolved = true;
  for (const char c : "$" + name) put(c);
}

void WordMaker::insert(const std::vector<Word>& value, bool as_one) {
  for (std::size_t i = 0; i < value.size() && !full(); ++i) {
    if (i > 0 && as_one) put(' ');
    if (i > 0 && !as_one) flush(cursor_.line(), cursor_.column());
    for (std::size_t k = 0; k < value[i].text.size(); ++k) {
      piece.marks.push_back({value[i].text[k], value[i].line, value[i].column + static_cast<int>(k)});
    }
    piece.unresolved = piece.unresolved || value[i].unresolved;
  }
}

void WordMaker::skip_nested(char open, char close) {
  unknown();
  for (int depth = 0; !cursor_.done(); cursor_.next()) {
    if (cursor_.here() == open) ++depth;
    if (cursor_.here() == close && --depth == 0) return cursor_.next();
  }
}

// Products and quotients of numbers and variables; anything else stays open.
void WordMaker::arithmetic() {
  const std::string_view inner = cursor_.up_to("))");
  if (inner.empty()) return skip_nested('(', ')');
  const auto result = variables_.product(std::string(inner.substr(2)));
  if (!result) piece.unresolved = true;
  for (const char c : result ? std::to_string(*result) : std::string("$")) put(c);
  cursor_.next(inner.size() + 2);
}

}  // namespace steelyard::habits
