// JSON text -> Node tree through nlohmann-json's events; an iterator that counts lines tells the place.
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "load/tree_builder.hpp"

namespace steelyard::load {

namespace {

// The parser reads characters one by one; this is how far it is.
struct Cursor {
  std::string_view text;
  std::size_t read = 0;
};

class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(Cursor* cursor, std::size_t at) : cursor_(cursor), at_(at) {}
  reference operator*() const { return cursor_->text[at_]; }
  CountingIterator& operator++() {
    cursor_->read = ++at_;
    return *this;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

 private:
  Cursor* cursor_;
  std::size_t at_;
};

class JsonEvents {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  JsonEvents(TreeBuilder& tree, Cursor& cursor) : tree_(tree), cursor_(cursor) {}

  bool null() {
    return plain([&] { tree_.null(); });
  }
  bool boolean(bool value) {
    return plain([&] { tree_.scalar(value ? "true" : "false", false); });
  }
  bool number_integer(number_integer_t value) {
    return plain([&] { tree_.scalar(std::to_string(value), false); });
  }
  bool number_unsigned(number_unsigned_t value) {
    return plain([&] { tree_.scalar(std::to_string(value), false); });
  }
  bool number_float(number_float_t, const string_t& text) {
    return plain([&] { tree_.scalar(text, false); });
  }
  bool string(string_t& value) {
    return plain([&] { tree_.scalar(std::move(value), true); });
  }
  bool key(string_t& value) { return string(value); }
  bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) {
    return plain([&] { tree_.open(Node::Kind::map); });
  }
  bool start_array(std::size_t) {
    return plain([&] { tree_.open(Node::Kind::list); });
  }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    advance(cursor_.read > 0 ? cursor_.read - 1 : 0);
    std::string text = error.what();
    if (const auto colon = text.rfind(": "); colon != std::string::npos) text = text.substr(colon + 2);
    tree_.place(line_, column_);
    tree_.fail("not valid JSON: " + text, "check quotes, commas and brackets");
  }

 private:
  template <class Event>
  bool plain(Event event) {
    place();
    event();
    done_ = cursor_.read;
    return true;
  }
  bool end() {
    tree_.close();
    done_ = cursor_.read;
    return true;
  }
  // The token starts at the first character after the last event that is no white space and no separator.
  void place() {
    std::size_t start = done_;
    while (start < cursor_.text.size() && std::string_view(" \t\r\n,:").find(cursor_.text[start]) != std::string_view::npos) ++start;
    advance(start);
    tree_.place(line_, column_);
  }
  void advance(std::size_t target) {
    for (; position_ < target && position_ < cursor_.text.size(); ++position_) {
      const bool newline = cursor_.text[position_] == '\n';
      line_ += newline ? 1 : 0;
      column_ = newline ? 1 : column_ + 1;
    }
  }

  TreeBuilder& tree_;
  Cursor& cursor_;
  std::size_t done_ = 0, position_ = 0;
  int line_ = 1, column_ = 1;
};

}  // namespace

Loaded<Document> parse_json(std::string text, std::string file, const Limits& limits) {
  Document document{std::move(file), std::move(text), {}};
  if (document.text.size() > limits.bytes) {
    return {std::nullopt, {document.issue({document.file, 0, 0}, "longer than the limit of " + std::to_string(limits.bytes) + " bytes", "split it")}};
  }
  TreeBuilder tree(document, limits.depth);
  Cursor cursor{document.text};
  JsonEvents events(tree, cursor);
  try {
    nlohmann::json::sax_parse(CountingIterator(&cursor, 0), CountingIterator(&cursor, document.text.size()), &events);
  } catch (const TreeBuilder::Stop&) {
    return {std::nullopt, tree.take_issues()};
  }
  document.root = tree.take_root();
  return {std::move(document), {}};
}

}  // namespace steelyard::load
