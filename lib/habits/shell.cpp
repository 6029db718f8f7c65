#include "habits/shell.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "habits/shell/cursor.hpp"
#include "habits/shell/variables.hpp"
#include "habits/shell/word_maker.hpp"

namespace steelyard::habits {

namespace {

bool one_of(char c, std::string_view characters) { return characters.find(c) != std::string_view::npos; }

// Cuts a script into commands and keeps its variables.
class Reader {
 public:
  explicit Reader(std::string_view text) : cursor_(text), maker_(cursor_, variables_) {}

  Script run() {
    while (!cursor_.done() && !maker_.full()) step();
    end_command();
    return std::move(script_);
  }

 private:
  void step() {
    const char c = cursor_.here();
    if (c != '\n' && cursor_.on_space()) return cursor_.next();
    if (c == '\\' && one_of(cursor_.here(1), "\n\r")) return cursor_.next(cursor_.here(1) == '\r' ? 3 : 2);
    if (c == '#') return comment();
    if (c == '\n') {
      cursor_.next();
      end_command();
      return skip_here_document();
    }
    if (one_of(c, ";|&()")) {
      cursor_.next();
      return end_command();
    }
    if (one_of(c, "<>")) return redirection();
    word();
  }

  void comment() {
    if (cursor_.rest_of_line().substr(0, 7) == "#SBATCH") {
      cursor_.next(7);
      while (!cursor_.done() && !one_of(cursor_.here(), "\n#")) {
        if (one_of(cursor_.here(), " \t\r")) {
          cursor_.next();
        } else {
          directive();
        }
      }
      variables_.set_from_directives(script_.directives);
    }
    cursor_.next(cursor_.rest_of_line().size());
  }

  void directive() {
    Word word{"", cursor_.line(), cursor_.column(), false};
    for (; !cursor_.done() && !cursor_.on_space(); cursor_.next()) word.text += cursor_.here();
    script_.directives.push_back(std::move(word));
  }

  void redirection() {
    const bool here_document = cursor_.here() == '<' && cursor_.here(1) == '<' && cursor_.here(2) != '<';
    while (!cursor_.done() && one_of(cursor_.here(), "<>&-")) cursor_.next();
    while (!cursor_.done() && one_of(cursor_.here(), " \t")) cursor_.next();
    std::string target;
    for (; !cursor_.done() && !cursor_.on_space() && !one_of(cursor_.here(), ";|)"); cursor_.next()) {
      if (!one_of(cursor_.here(), "'\"")) target += cursor_.here();
    }
    if (here_document) here_document_ = target;
  }

  void skip_here_document() {
    if (here_document_.empty()) return;
    while (!cursor_.done()) {
      const std::string_view line = cursor_.rest_of_line();
      cursor_.next(line.size() + 1);
      if (trim(line) == here_document_) break;
    }
    here_document_.clear();
  }

  void word() {
    const int line = cursor_.line(), column = cursor_.column();
    Piece& piece = maker_.piece;
    piece = {};
    for (; !cursor_.done(); maker_.part()) {
      const char c = cursor_.here();
      if (cursor_.on_space() || one_of(c, ";|&)")) break;
      if (one_of(c, "<>")) {
        // "2>&1": the number belongs to the redirection.
        if (parse_integer(piece.word(line, column).text)) piece = {};
        break;
      }
      if (c == '(' && !piece.marks.empty() && piece.marks.back().character == '=' && array(line, column)) return;
      if (c == '(') break;
    }
    if (!assignment(line, column)) maker_.flush(line, column);
  }

  // NAME=( word word ... )
  bool array(int line, int column) {
    std::string name = maker_.piece.word(line, column).text;
    name.pop_back();
    if (!name.empty() && name.back() == '+') name.pop_back();
    if (!is_name(name)) return false;
    std::vector<Word> outer = std::move(maker_.words);
    maker_.words.clear();
    cursor_.next();
    while (!cursor_.done() && cursor_.here() != ')' && !maker_.full()) {
      if (cursor_.on_space()) {
        cursor_.next();
      } else if (cursor_.here() == '#') {
        cursor_.next(cursor_.rest_of_line().size());
      } else if (cursor_.here() == '\\' && cursor_.here(1) == '\n') {
        cursor_.next(2);
      } else {
        const std::size_t before = cursor_.at();
        element();
        if (cursor_.at() == before) cursor_.next();
      }
    }
    cursor_.next();
    variables_.set(name, std::move(maker_.words));
    maker_.words = std::move(outer);
    maker_.piece = {};
    return true;
  }

  void element() {
    const int line = cursor_.line(), column = cursor_.column();
    maker_.piece = {};
    while (!cursor_.done() && !cursor_.on_space() && cursor_.here() != ')') maker_.part();
    maker_.flush(line, column);
  }

  // NAME=value in front of a command or alone.
  bool assignment(int line, int column) {
    const std::vector<Word>& before = maker_.words;
    const bool in_front = std::all_of(before.begin(), before.end(), [](const Word& one) { return one.text == "export" || one.text == "local"; });
    if (!in_front) return false;
    const Word whole = maker_.piece.word(line, column);
    const std::size_t equals = whole.text.find('=');
    if (equals == std::string::npos || !is_name(whole.text.substr(0, equals))) return false;
    variables_.assign(whole.text.substr(0, equals), maker_.piece, equals + 1, line, column);
    maker_.piece = {};
    return true;
  }

  void end_command() {
    if (!maker_.words.empty()) script_.commands.push_back(std::move(maker_.words));
    maker_.words.clear();
  }

  Cursor cursor_;
  Variables variables_;
  WordMaker maker_;
  std::string here_document_;
  Script script_;
};

}  // namespace

Script read_script(std::string_view text) { return Reader(text).run(); }

}  // namespace steelyard::habits
