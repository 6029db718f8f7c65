#include "habits/shell.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "core/text.hpp"

namespace steelyard::habits {

namespace {

constexpr std::size_t most_words = 200'000;  // variables that hold each other could grow without end

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front()))) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

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

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Script run() {
    while (at_ < text_.size() && words_ < most_words) step();
    end_command();
    return std::move(script_);
  }

 private:
  char here(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void next() {
    if (here() == '\n') {
      ++line_;
      column_ = 1;
    } else {
      ++column_;
    }
    ++at_;
  }

  void next(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count) next();
  }

  std::string_view rest_of_line() const { return text_.substr(at_, text_.find('\n', at_) - at_); }

  void step() {
    const char c = here();
    if (c == ' ' || c == '\t' || c == '\r') return next();
    if (c == '\\' && (here(1) == '\n' || here(1) == '\r')) return next(here(1) == '\r' ? 3 : 2);
    if (c == '#') return comment();
    if (c == '\n') {
      next();
      end_command();
      return skip_here_document();
    }
    if (c == ';' || c == '|' || c == '&' || c == '(' || c == ')') {
      next();
      return end_command();
    }
    if (c == '<' || c == '>') return redirection();
    word();
  }

  void comment() {
    if (rest_of_line().substr(0, 7) == "#SBATCH") {
      next(7);
      while (at_ < text_.size() && here() != '\n' && here() != '#') {
        if (here() == ' ' || here() == '\t' || here() == '\r') {
          next();
        } else {
          Word word{"", line_, column_, false};
          while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(here()))) {
            word.text += here();
            next();
          }
          script_.directives.push_back(std::move(word));
        }
      }
      set_slurm_variables();
    }
    next(rest_of_line().size());
  }

  // What Slurm sets for the script follows from its directives.
  void set_slurm_variables() {
    if (script_.directives.empty()) return;
    const std::pair<const char*, std::vector<const char*>> known[] = {{"SLURM_NNODES", {"--nodes", "-N"}},
                                                                      {"SLURM_JOB_NUM_NODES", {"--nodes", "-N"}},
                                                                      {"SLURM_NTASKS_PER_NODE", {"--ntasks-per-node"}},
                                                                      {"SLURM_GPUS_PER_NODE", {"--gpus-per-node"}},
                                                                      {"SLURM_GPUS_ON_NODE", {"--gpus-per-node"}}};
    const std::vector<Word>& words = script_.directives;
    for (const auto& [name, options] : known) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        for (const std::string_view option : options) {
          Word value = words[i];
          if (value.text == option && i + 1 < words.size()) {
            value.text = words[i + 1].text;
          } else if (value.text.rfind(std::string(option) + "=", 0) == 0) {
            value.text = value.text.substr(option.size() + 1);
          } else {
            continue;
          }
          if (parse_integer(value.text)) variables_[name] = {value};
        }
      }
    }
  }

  void redirection() {
    const bool here_document = here() == '<' && here(1) == '<' && here(2) != '<';
    while (here() == '<' || here() == '>' || here() == '&' || here() == '-') next();
    while (here() == ' ' || here() == '\t') next();
    std::string target;
    while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(here())) && here() != ';' && here() != '|' && here() != ')') {
      if (here() != '\'' && here() != '"') target += here();
      next();
    }
    if (here_document) here_document_ = target;
  }

  void skip_here_document() {
    if (here_document_.empty()) return;
    while (at_ < text_.size()) {
      const std::string_view line = rest_of_line();
      next(line.size() + 1);
      if (trim(line) == here_document_) break;
    }
    here_document_.clear();
  }

  void put(char c) { piece_.marks.push_back({c, line_, column_}); }

  void flush(int line, int column) {
    if (!piece_.marks.empty() || piece_.quoted || piece_.unresolved) add(piece_.word(line, column));
    piece_ = {};
  }

  void add(Word word) {
    ++words_;
    command_.push_back(std::move(word));
  }

  void word() {
    const int line = line_, column = column_;
    piece_ = {};
    while (at_ < text_.size()) {
      const char c = here();
      if (std::isspace(static_cast<unsigned char>(c)) || c == ';' || c == '|' || c == '&' || c == ')') break;
      if (c == '>' || c == '<') {
        // "2>&1": the number belongs to the redirection.
        if (parse_integer(piece_.word(line, column).text)) piece_ = {};
        break;
      }
      if (c == '(' && !piece_.marks.empty() && piece_.marks.back().character == '=' && array(line, column)) return;
      if (c == '(') break;
      part(c);
    }
    if (assignment(line, column)) return;
    flush(line, column);
  }

  void part(char c) {
    if (c == '\'') return single_quotes();
    if (c == '"') return double_quotes();
    if (c == '$') return dollar(false);
    if (c == '`') return backticks();
    if (c == '\\') {
      next();
      if (here() == '\n') return next();
      if (here() == '\r') return next(2);
    }
    if (at_ < text_.size()) put(here());
    next();
  }

  void single_quotes() {
    piece_.quoted = true;
    for (next(); at_ < text_.size() && here() != '\''; next()) put(here());
    next();
  }

  void double_quotes() {
    piece_.quoted = true;
    next();
    while (at_ < text_.size() && here() != '"') {
      if (here() == '$') {
        dollar(true);
      } else if (here() == '`') {
        backticks();
      } else if (here() == '\\' && here(1) == '\n') {
        next(2);
      } else {
        if (here() == '\\' && (here(1) == '"' || here(1) == '\\' || here(1) == '$')) next();
        put(here());
        next();
      }
    }
    next();
  }

  void backticks() {
    piece_.unresolved = true;
    put('$');
    for (next(); at_ < text_.size() && here() != '`'; next()) {
    }
    next();
  }

  // $NAME, ${NAME}, ${NAME[@]}, ${NAME:-other}, $(command), $((arithmetic)).
  void dollar(bool quoted) {
    next();
    if (here() == '(') return here(1) == '(' ? arithmetic() : skip_nested('(', ')');
    std::string name, suffix;
    if (here() == '{') {
      next();
      while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(here())) || here() == '_')) name += here(), next();
      while (at_ < text_.size() && here() != '}') suffix += here(), next();
      next();
    } else {
      while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(here())) || here() == '_')) name += here(), next();
    }
    const auto known = variables_.find(name);
    const bool whole = suffix.empty() || suffix == "[@]" || suffix == "[*]" || suffix.rfind(":-", 0) == 0;
    if (known == variables_.end() || !whole) {
      piece_.unresolved = true;
      for (const char c : "$" + name) put(c);
      return;
    }
    insert(known->second, quoted && suffix != "[@]");
  }

  void insert(const std::vector<Word>& words, bool as_one) {
    for (std::size_t i = 0; i < words.size() && words_ < most_words; ++i) {
      if (i > 0 && as_one) put(' ');
      if (i > 0 && !as_one) flush(line_, column_);
      for (std::size_t k = 0; k < words[i].text.size(); ++k) {
        piece_.marks.push_back({words[i].text[k], words[i].line, words[i].column + static_cast<int>(k)});
      }
      piece_.unresolved = piece_.unresolved || words[i].unresolved;
    }
  }

  void skip_nested(char open, char close) {
    piece_.unresolved = true;
    put('$');
    for (int depth = 0; at_ < text_.size(); next()) {
      if (here() == open) ++depth;
      if (here() == close && --depth == 0) return next();
    }
  }

  // Products and quotients of numbers and variables; anything else stays open.
  void arithmetic() {
    const std::size_t end = text_.find("))", at_);
    if (end == std::string_view::npos) return skip_nested('(', ')');
    const std::string inner(text_.substr(at_ + 2, end - at_ - 2));
    const auto result = product(inner);
    if (!result) piece_.unresolved = true;
    for (const char c : result ? std::to_string(*result) : std::string("$")) put(c);
    next(end + 2 - at_);
  }

  std::optional<long long> product(const std::string& text) const {
    std::optional<long long> result;
    char operation = '*';
    std::string factor;
    for (const char c : text + "*") {
      if (c == ' ' || c == '$' || c == '{' || c == '}') continue;
      if (c != '*' && c != '/') {
        factor += c;
        continue;
      }
      auto value = parse_integer(factor);
      const auto known = variables_.find(factor);
      if (!value && known != variables_.end() && known->second.size() == 1) value = parse_integer(known->second.front().text);
      if (!value || (operation == '/' && *value == 0) || *value > 1'000'000 || *value < -1'000'000) return std::nullopt;
      const long long so_far = result.value_or(1);
      if (so_far > 1'000'000'000 || so_far < -1'000'000'000) return std::nullopt;
      result = operation == '*' ? so_far * *value : so_far / *value;
      operation = c;
      factor.clear();
    }
    return result;
  }

  // NAME=( word word ... )
  bool array(int line, int column) {
    std::string name = piece_.word(line, column).text;
    name.pop_back();
    if (!name.empty() && name.back() == '+') name.pop_back();
    if (!is_name(name)) return false;
    std::vector<Word> outer = std::move(command_);
    command_.clear();
    next();
    while (at_ < text_.size() && here() != ')' && words_ < most_words) {
      if (std::isspace(static_cast<unsigned char>(here()))) {
        next();
      } else if (here() == '#') {
        next(rest_of_line().size());
      } else if (here() == '\\' && here(1) == '\n') {
        next(2);
      } else {
        const std::size_t before = at_;
        element();
        if (at_ == before) next();
      }
    }
    next();
    variables_[name] = std::move(command_);
    command_ = std::move(outer);
    piece_ = {};
    return true;
  }

  void element() {
    const int line = line_, column = column_;
    piece_ = {};
    while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(here())) && here() != ')') part(here());
    flush(line, column);
  }

  // NAME=value in front of a command or alone.
  bool assignment(int line, int column) {
    const bool in_front = std::all_of(command_.begin(), command_.end(), [](const Word& one) { return one.text == "export" || one.text == "local"; });
    if (!in_front) return false;
    const Word whole = piece_.word(line, column);
    const std::size_t equals = whole.text.find('=');
    if (equals == std::string::npos || !is_name(whole.text.substr(0, equals))) return false;
    std::vector<Word>& words = variables_[whole.text.substr(0, equals)];
    words.clear();
    Piece part;
    part.unresolved = piece_.unresolved;
    for (std::size_t i = equals + 1; i <= piece_.marks.size(); ++i) {
      const bool blank = i == piece_.marks.size() || std::isspace(static_cast<unsigned char>(piece_.marks[i].character));
      if (!blank) part.marks.push_back(piece_.marks[i]);
      if (!blank || part.marks.empty()) continue;
      words.push_back(part.word(line, column));
      // Only the words that hold the variable hang on it.
      words.back().unresolved = piece_.unresolved && words.back().text.find('$') != std::string::npos;
      part.marks.clear();
    }
    if (piece_.unresolved && words.size() <= 1) {
      if (words.empty()) words.push_back({"", line, column, true});
      words.front().unresolved = true;
    }
    piece_ = {};
    return true;
  }

  void end_command() {
    if (!command_.empty()) script_.commands.push_back(std::move(command_));
    command_.clear();
  }

  std::string_view text_;
  std::size_t at_ = 0, words_ = 0;
  int line_ = 1, column_ = 1;
  Piece piece_;
  std::vector<Word> command_;
  std::map<std::string, std::vector<Word>> variables_;
  std::string here_document_;
  Script script_;
};

bool is_option(const Word& word) {
  return word.text.size() > 1 && word.text[0] == '-' && !std::isdigit(static_cast<unsigned char>(word.text[1])) && word.text[1] != '.';
}

std::string option_key(std::string text) {
  text.erase(0, text.find_first_not_of('-'));
  text = text.substr(0, text.find('='));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

bool is_switch(const std::string& key, const std::vector<std::string>& switches) {
  return std::find(switches.begin(), switches.end(), key) != switches.end();
}

}  // namespace

Script read_script(std::string_view text) { return Reader(text).run(); }

Options read_options(const std::vector<Word>& words, const std::string& file, const std::vector<std::string>& switches) {
  Options options;
  bool takes_values = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    if (word.text == "--" && !word.unresolved) {
      options.positional.insert(options.positional.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (is_option(word)) {
      Said said{option_key(word.text), {}, false, {file, word.line, word.column}, false};
      const std::size_t equals = word.text.find('=');
      if (equals != std::string::npos) said.values.push_back(word.text.substr(equals + 1));
      said.unresolved = word.unresolved;
      takes_values = equals == std::string::npos && !is_switch(said.key, switches);
      options.said.push_back(std::move(said));
    } else if (takes_values) {
      options.said.back().values.push_back(word.text);
      options.said.back().unresolved = options.said.back().unresolved || word.unresolved;
    } else {
      options.positional.push_back(word);
    }
  }
  return options;
}

std::size_t end_of_options(const std::vector<Word>& words, const std::vector<std::string>& switches) {
  std::size_t i = 0;
  while (i < words.size()) {
    // A variable that is not known may hold any number of options; it is passed over.
    if (words[i].unresolved && !is_option(words[i])) {
      ++i;
      continue;
    }
    if (words[i].text == "--") return i + 1;
    if (!is_option(words[i])) break;
    const bool alone = words[i].text.find('=') != std::string::npos || is_switch(option_key(words[i].text), switches);
    i += alone ? 1 : 2;
  }
  return std::min(i, words.size());
}

}  // namespace steelyard::habits
