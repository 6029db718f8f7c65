// A place in a script, with its line and column.
#pragma once

#include <cctype>
#include <string_view>

namespace steelyard::habits {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool done() const { return at_ >= text_.size(); }
  char here(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool on_space() const { return std::isspace(static_cast<unsigned char>(here())) != 0; }
  int line() const { return line_; }
  int column() const { return column_; }
  std::size_t at() const { return at_; }
  std::string_view rest_of_line() const { return text_.substr(at_, text_.find('\n', at_) - at_); }
  /// From here to the first `end`; empty where there is none.
  std::string_view up_to(std::string_view end) const {
    const std::size_t found = text_.find(end, at_);
    return found == std::string_view::npos ? std::string_view() : text_.substr(at_, found - at_);
  }

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
    for (; count > 0 && !done(); --count) next();
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
};

}  // namespace steelyard::habits
