#include "rules/format/comments.hpp"

#include "core/text.hpp"

namespace steelyard::rules {

namespace {

class Scanner {
 public:
  std::vector<Comment> run(std::string_view text) {
    int number = 1;
    for (std::size_t start = 0; start <= text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      line(text.substr(start, end - start), number);
      start = end + 1;
    }
    return std::move(comments_);
  }

 private:
  void line(std::string_view line, int number) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t indent = line.find_first_not_of(' ');
    if (block_ && (indent == std::string_view::npos || indent > block_indent_)) return;  // inside "|" or ">"
    block_ = false;
    if (indent == std::string_view::npos) {
      if (quote_ == '\0' && depth_ == 0) comments_.push_back({number, true, {}});
      return;
    }
    const std::size_t hash = scan(line);
    if (hash != std::string_view::npos) comments_.push_back({number, hash == indent, std::string(trim(line.substr(hash)))});
    const std::string_view before = trim(line.substr(0, hash));
    if (quote_ == '\0' && depth_ == 0 && opens_block(before)) {
      block_ = true;
      block_indent_ = key_indent(line, indent);
    }
  }

  // The place of a comment in a line, with quotes and brackets carried on to the next.
  std::size_t scan(std::string_view line) {
    char before = ' ', word_before = '\n';
    for (std::size_t at = 0; at < line.size(); ++at) {
      const char c = line[at];
      if (quote_ != '\0') {
        step_quoted(line, at);
      } else if (c == '#' && before == ' ') {
        return at;
      } else if ((c == '"' || c == '\'') && std::string_view("\n:,-[{").find(word_before) != std::string_view::npos) {
        quote_ = c;
      } else if (c == '{' || c == '[') {
        if (depth_ > 0 || std::string_view("\n:,-[{").find(word_before) != std::string_view::npos) ++depth_;
      } else if ((c == '}' || c == ']') && depth_ > 0) {
        --depth_;
      }
      before = c;
      if (c != ' ') word_before = c;
    }
    return std::string_view::npos;
  }

  void step_quoted(std::string_view line, std::size_t& at) {
    if (quote_ == '"' && line[at] == '\\') {
      ++at;
    } else if (line[at] == quote_) {
      if (quote_ == '\'' && at + 1 < line.size() && line[at + 1] == '\'') {
        ++at;
      } else {
        quote_ = '\0';
      }
    }
  }

  // "key: >-", "- |"
  static bool opens_block(std::string_view line) {
    const auto mark = line.find_last_not_of("+-0123456789");
    if (mark == std::string_view::npos || (line[mark] != '>' && line[mark] != '|')) return false;
    const std::string_view before = trim(line.substr(0, mark));
    return before.ends_with(':') || before == "-" || before.ends_with(" -");
  }

  // Content of a block lies deeper than its key; dashes before the key count as indentation.
  static std::size_t key_indent(std::string_view line, std::size_t indent) {
    while (indent + 1 < line.size() && line[indent] == '-' && line[indent + 1] == ' ') indent += 2;
    return indent;
  }

  std::vector<Comment> comments_;
  char quote_ = '\0';
  int depth_ = 0;
  bool block_ = false;
  std::size_t block_indent_ = 0;
};

}  // namespace

std::vector<Comment> comments_of(std::string_view text) { return Scanner().run(text); }

}  // namespace steelyard::rules
