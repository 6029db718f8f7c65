// Words from characters: quotes, escapes, and variables where they are known.
#pragma once

#include <vector>

#include "habits/shell/cursor.hpp"
#include "habits/shell/piece.hpp"
#include "habits/shell/variables.hpp"

namespace steelyard::habits {

class WordMaker {
 public:
  WordMaker(Cursor& cursor, const Variables& variables) : cursor_(cursor), variables_(variables) {}

  /// Takes one character, quoted text or variable into the word; a variable of several words ends words on its way.
  void part();
  /// Ends the word, which began at that place.
  void flush(int line, int column);
  /// The word in the making.
  Piece piece;
  /// The words that are made, of one command or array.
  std::vector<Word> words;
  /// So many words were made that the rest of the script is left.
  bool full() const;

 private:
  void put(char c) { piece.marks.push_back({c, cursor_.line(), cursor_.column()}); }
  void unknown();
  void single_quotes();
  void double_quotes();
  void backticks();
  void dollar(bool quoted);
  void insert(const std::vector<Word>& value, bool as_one);
  void skip_nested(char open, char close);
  void arithmetic();

  Cursor& cursor_;
  const Variables& variables_;
  std::size_t made_ = 0;
};

}  // namespace steelyard::habits
