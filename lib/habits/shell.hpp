// Shell text as commands: quotes, continued lines, comments, variables and arrays that the text itself sets. Nothing is run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "habits/notes.hpp"

namespace steelyard::habits {

struct Word {
  std::string text;
  int line = 0, column = 0;  // 1-based, where the word is written
  bool unresolved = false;   // hangs on a variable or command that the text does not resolve
};

struct Script {
  std::vector<std::vector<Word>> commands;
  std::vector<Word> directives;  // words of the #SBATCH lines
};

/// Never fails: what is no shell gives commands that no reader knows.
Script read_script(std::string_view text);

/// Options among the words: "--key value", "--key=value", "--key", "-k value". Keys without dashes, `-` as `_`.
/// `switches` are options that take no value although a word follows. Words before the first option and after a lone `--` are `positional`.
struct Options {
  std::vector<Said> said;
  std::vector<Word> positional;
};
Options read_options(const std::vector<Word>& words, const std::string& file, const std::vector<std::string>& switches = {});

/// The options of a launcher end at the first word that is neither an option nor a value of one: returns its index (or the size).
/// Every option but the switches takes one value.
std::size_t end_of_options(const std::vector<Word>& words, const std::vector<std::string>& switches);

}  // namespace steelyard::habits
