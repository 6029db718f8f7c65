// A word while it is put together.
#pragma once

#include <string>
#include <vector>

#include "habits/shell.hpp"

namespace steelyard::habits {

/// A word in the making: every character knows its place, so that the words of a variable keep theirs.
struct Piece {
  struct Mark {
    char character;
    int line, column;
  };
  std::vector<Mark> marks;
  bool quoted = false, unresolved = false;

  Word word(int line, int column) const {
    Word made{"", marks.empty() ? line : marks.front().line, marks.empty() ? column : marks.front().column, unresolved};
    for (const Mark& mark : marks) made.text += mark.character;
    return made;
  }
};

}  // namespace steelyard::habits
