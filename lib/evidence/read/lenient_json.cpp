#include "evidence/read/lenient_json.hpp"

#include <optional>
#include <string>

#include "core/text.hpp"

namespace steelyard::evidence {

namespace {

constexpr int most_depth = 32;  // bounds recursion on hostile text

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  /// The value at the current place, or nothing where it is cut or broken. A cut map or list keeps its whole members.
  Value value(int depth, bool& whole) {
    skip_blanks();
    whole = false;
    if (at_ >= text_.size() || depth > most_depth) return {};
    const char c = text_[at_];
    if (c == '{') return map(depth, whole);
    if (c == '[') return list(depth, whole);
    if (c == '"') return string(whole);
    return word(whole);
  }

  std::size_t place() const { return at_; }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) ++at_;
  }

  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Value map(int depth, bool& whole) {
    Value result = Value::map();
    ++at_;
    if (take('}')) return whole = true, result;
    do {
      bool fine = false;
      skip_blanks();
      if (at_ >= text_.size() || text_[at_] != '"') return result;
      const Value key = string(fine);
      if (!fine || !take(':')) return result;
      Value member = value(depth + 1, fine);
      if (!fine && !member.is_map() && !member.is_list()) return result;
      result.as_map().emplace_back(key.as_string(), std::move(member));
      if (!fine) return result;
    } while (take(','));
    whole = take('}');
    return result;
  }

  Value list(int depth, bool& whole) {
    Value result = Value::list();
    ++at_;
    if (take(']')) return whole = true, result;
    do {
      bool fine = false;
      Value item = value(depth + 1, fine);
      if (!fine && !item.is_map() && !item.is_list()) return result;
      result.as_list().push_back(std::move(item));
      if (!fine) return result;
    } while (take(','));
    whole = take(']');
    return result;
  }

  Value string(bool& whole) {
    std::string result;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        whole = true;
        return result;
      }
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      result.push_back(text_[at_]);
    }
    return {};
  }

  Value word(bool& whole) {
    const std::size_t start = at_;
    while (at_ < text_.size() && std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos) ++at_;
    const std::string_view text = text_.substr(start, at_ - start);
    if (at_ >= text_.size() || text.empty()) return {};  // a number at the end may have lost digits
    whole = true;
    if (text == "true" || text == "false") return text == "true";
    if (const auto number = parse_integer(text)) return static_cast<std::int64_t>(*number);
    if (const auto number = parse_number(text)) return *number;
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

LenientJson read_lenient_json(std::string_view text) {
  LenientJson result;
  Reader reader(text);
  result.value = reader.value(0, result.complete);
  result.length = reader.place();
  return result;
}

}  // namespace steelyard::evidence
