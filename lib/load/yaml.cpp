// YAML text -> Node tree through yaml-cpp's events: places, duplicates and aliases are seen before anything is built.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "core/foreign_kind.hpp"
#include "core/text.hpp"
#include "load/tree_builder.hpp"

namespace steelyard::load {

namespace {

class YamlEvents final : public YAML::EventHandler {
 public:
  explicit YamlEvents(TreeBuilder& tree) : tree_(tree) {}

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    place(mark, anchor);
    tree_.null();
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    tree_.place(mark.line + 1, mark.column + 1);
    tree_.fail("aliases (*name) are not allowed", "write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
    place(mark, anchor, tag);
    if (tag == "!") last_quote_ = mark;
    tree_.scalar(value, tag == "!");
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    place(mark, anchor, tag);
    tree_.open(Node::Kind::list);
  }
  void OnSequenceEnd() override { tree_.close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    place(mark, anchor, tag);
    tree_.open(Node::Kind::map);
  }
  void OnMapEnd() override { tree_.close(); }

  const YAML::Mark& start() const { return start_; }
  /// Of the last scalar in quotes; null where there is none.
  const YAML::Mark& last_quote() const { return last_quote_; }

 private:
  void place(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag = "?") {
    tree_.place(mark.line + 1, mark.column + 1);
    if (anchor != 0) tree_.fail("anchors (&name) are not allowed", "write the value out");
    if (tag != "?" && tag != "!" && !tag.empty())
      tree_.fail("tags (!name) are not allowed, found '" + tag + "'", "remove the tag; a text that starts with ! needs quotes");
  }

  TreeBuilder& tree_;
  YAML::Mark start_, last_quote_ = YAML::Mark::null_mark();
};

/// "*name" at a place of the text, or empty: yaml-cpp doesn't say which alias has no anchor.
std::string alias_at(const Document& document, const YAML::Mark& mark) {
  const std::string_view line = line_of(document.text, mark.line + 1);
  const auto column = static_cast<std::size_t>(mark.column);
  if (mark.is_null() || column >= line.size() || line[column] != '*') return {};
  return std::string(line.substr(column, line.find_first_of(" ,]}", column) - column));
}

// Behind the quote that opens at `open`; the size of the text where nothing closes it.
std::size_t behind_quote(std::string_view text, std::size_t open) {
  const char quote = text[open];
  for (std::size_t at = open + 1; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || at + 1 >= text.size() || text[at + 1] != quote) return at + 1;
      ++at;  // '' inside single quotes
    }
  }
  return text.size() + 1;
}

// yaml-cpp takes the end of the text for the closing quote.
bool closes(std::string_view text, const YAML::Mark& quote) {
  const auto at = static_cast<std::size_t>(std::max(0, quote.pos));
  const bool found = !quote.is_null() && at < text.size() && (text[at] == '"' || text[at] == '\'');
  return !found || behind_quote(text, at) <= text.size();
}

// Where a bracket opens that nothing closes, for a text that is faulty: yaml-cpp complains of what follows from it.
std::optional<std::size_t> open_bracket(std::string_view text) {
  std::vector<std::size_t> open;
  char before = '\n';  // the last that is no space
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool starts = std::string_view("\n:,-[{").find(before) != std::string_view::npos;
    if (c == '#' && (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n')) {
      at = std::min(text.find('\n', at), text.size()) - 1;
      continue;
    }
    if (starts && (c == '"' || c == '\'')) {
      at = behind_quote(text, at) - 1;
    } else if ((c == '{' || c == '[') && (starts || !open.empty())) {
      open.push_back(at);
    } else if ((c == '}' || c == ']') && !open.empty()) {
      open.pop_back();
    }
    if (c != ' ') before = c;
  }
  return open.empty() ? std::nullopt : std::optional(open.back());
}

Loaded<Document> fault(Document& document, int line, int column, std::string message, std::string fix) {
  return {std::nullopt, {document.issue({document.file, line, column}, std::move(message), std::move(fix))}};
}

Loaded<Document> fault_at(Document& document, std::size_t byte, std::string message, std::string fix) {
  const std::string_view before = std::string_view(document.text).substr(0, byte);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fault(document, static_cast<int>(lines) + 1, static_cast<int>(byte - start) + 1, std::move(message), std::move(fix));
}

std::optional<Loaded<Document>> refuse_bracket(Document& document) {
  const auto open = open_bracket(document.text);
  if (!open) return std::nullopt;
  const bool brace = document.text[*open] == '{';
  return fault_at(document, *open, brace ? "'{' without '}'" : "'[' without ']'", brace ? "add }" : "add ]");
}

// Marks that look like those of YAML and are others, and tabs: what yaml-cpp complains of is a line or two below them.
std::optional<Loaded<Document>> refuse_lookalike(Document& document, int line) {
  struct Lookalike {
    std::string_view mark, name, fix;
  };
  static constexpr Lookalike lookalikes[] = {
      {"\xEF\xBC\x9A", "a full-width colon", "write `: `"},    {"\xEF\xBC\x8C", "a full-width comma", "write `, `"},
      {"\xEF\xBD\x9B", "a full-width brace", "write {"},       {"\xEF\xBD\x9D", "a full-width brace", "write }"},
      {"\xEF\xBC\xBB", "a full-width bracket", "write ["},     {"\xEF\xBC\xBD", "a full-width bracket", "write ]"},
      {"\xC2\xA0", "a no-break space", "write a plain space"}, {"\xE3\x80\x80", "an ideographic space", "write a plain space"}};
  if (document.text.find('\n') == std::string::npos && document.text.find('\r') != std::string::npos)
    return fault_at(document, document.text.find('\r'), "lines end in a carriage return alone", "save the file with line feeds");
  for (int number = line; number >= std::max(1, line - 2); --number) {
    const std::string_view text = line_of(document.text, number);
    const std::size_t comment = std::min(text.find(" #"), text.size());
    if (text.starts_with('\t')) return fault(document, number, 1, "a tab in front of a key", "YAML indents with spaces only");
    for (const Lookalike& one : lookalikes) {
      const std::size_t at = text.find(one.mark);
      if (at < comment)
        return fault(document, number, static_cast<int>(at) + 1, "not valid YAML: found " + std::string(one.name), std::string(one.fix));
    }
  }
  return std::nullopt;
}

std::optional<Loaded<Document>> refuse_encoding(Document& document, const Limits& limits) {
  if (document.text.size() > limits.bytes) {
    return fault(document, 0, 0, "longer than the limit of " + std::to_string(limits.bytes) + " bytes", "split the file");
  }
  if (const ForeignKind kind = foreign_kind(document.text); !kind.what.empty()) {
    Loaded<Document> refused = fault(document, 1, 1, "expected UTF-8 text, found " + std::string(kind.what), std::string(kind.fix));
    refused.issues.front().excerpt.clear();
    return refused;
  }
  if (const auto bad = first_invalid_utf8(document.text)) {
    const std::string_view before = std::string_view(document.text).substr(0, *bad);
    const int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    const auto start = before.rfind('\n');
    const int column = static_cast<int>(start == std::string_view::npos ? *bad : *bad - start - 1) + 1;
    Loaded<Document> refused = fault(document, line, column, "not UTF-8: the byte here belongs to another encoding", "save the file as UTF-8");
    refused.issues.front().excerpt.clear();
    return refused;
  }
  if (document.text.find('\0') != std::string::npos) return fault(document, 0, 0, "found a zero byte, expected text", "save the file as UTF-8");
  return std::nullopt;
}

}  // namespace

Loaded<Document> parse_document(std::string text, std::string file, const Limits& limits) {
  if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    // A flow map may be YAML all the same ({a: 1}); JSON that fails is parsed again for the better message.
    auto json = parse_json(text, file, limits);
    if (json) return json;
  }
  Document document{std::move(file), std::move(text), {}};
  if (auto refused = refuse_encoding(document, limits)) return std::move(*refused);
  TreeBuilder tree(document, limits.depth);
  try {
    std::istringstream stream(document.text);
    YAML::Parser parser(stream);
    YamlEvents events(tree);
    if (!parser.HandleNextDocument(events)) return {std::move(document), {}};
    Document ignored{document.file, {}, {}};
    TreeBuilder second(ignored, limits.depth);
    YamlEvents more(second);
    const bool another = parser.HandleNextDocument(more);
    if (another) tree.place(more.start().line + 1, more.start().column + 1);
    if (!closes(document.text, events.last_quote())) {
      return fault(document, events.last_quote().line + 1, events.last_quote().column + 1, "a text without its closing quote",
                   "add the quote where the text ends");
    }
    if (another) tree.fail("found a second document (after '---'), expected one", "put it into a file of its own");
  } catch (const YAML::Exception& error) {
    if (auto refused = refuse_bracket(document)) return std::move(*refused);
    const int line = error.mark.is_null() ? 0 : error.mark.line + 1;
    if (const std::string alias = alias_at(document, error.mark); !alias.empty()) {
      return fault(document, line, error.mark.column + 1, "aliases are not allowed, found " + alias, "write the value out");
    }
    if (auto refused = refuse_lookalike(document, line)) return std::move(*refused);
    return fault(document, line, line == 0 ? 0 : error.mark.column + 1, "not valid YAML: " + error.msg,
                 "check indentation, quotes and brackets; a text that starts with { [ ! & * or holds ': ' needs quotes");
  } catch (const TreeBuilder::Stop&) {
    if (auto refused = refuse_bracket(document)) return std::move(*refused);
  }
  if (has_errors(tree.issues())) return {std::nullopt, tree.take_issues()};
  document.root = tree.take_root();
  return {std::move(document), tree.take_issues()};
}

}  // namespace steelyard::load
