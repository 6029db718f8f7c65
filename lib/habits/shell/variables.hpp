// The variables of a script, as far as their values stand in it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "habits/shell.hpp"
#include "habits/shell/piece.hpp"

namespace steelyard::habits {

/// May a variable have this name?
bool is_name(std::string_view text);

class Variables {
 public:
  /// Null where the script does not set it.
  const std::vector<Word>* find(const std::string& name) const;
  void set(const std::string& name, std::vector<Word> words) { words_[name] = std::move(words); }
  /// NAME=value, of which `piece` is the whole and `value` the place behind the sign; a value with blanks becomes several words.
  void assign(const std::string& name, const Piece& piece, std::size_t value, int line, int column);
  /// What Slurm sets for the script follows from its directives.
  void set_from_directives(const std::vector<Word>& directives);
  /// Products and quotients of numbers and variables: "4 * $NODES / 2"; empty for anything else.
  std::optional<long long> product(const std::string& text) const;

 private:
  std::map<std::string, std::vector<Word>> words_;
};

}  // namespace steelyard::habits
