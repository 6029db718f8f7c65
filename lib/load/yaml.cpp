// YAML text -> Node tree through yaml-cpp's events: places, duplicates and aliases are seen before anything is built.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>

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

 private:
  void place(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& tag = "?") {
    tree_.place(mark.line + 1, mark.column + 1);
    if (anchor != 0) tree_.fail("anchors (&name) are not allowed", "write the value out");
    if (tag != "?" && tag != "!" && !tag.empty()) tree_.fail("tags (!name) are not allowed, found '" + tag + "'", "remove the tag");
  }

  TreeBuilder& tree_;
  YAML::Mark start_;
};

/// "*name" at a place of the text, or empty: yaml-cpp doesn't say which alias has no anchor.
std::string alias_at(const Document& document, const YAML::Mark& mark) {
  const std::string_view line = line_of(document.text, mark.line + 1);
  const auto column = static_cast<std::size_t>(mark.column);
  if (mark.is_null() || column >= line.size() || line[column] != '*') return {};
  return std::string(line.substr(column, line.find_first_of(" ,]}", column) - column));
}

Loaded<Document> fault(Document& document, int line, int column, std::string message, std::string fix) {
  return {std::nullopt, {document.issue({document.file, line, column}, std::move(message), std::move(fix))}};
}

std::optional<Loaded<Document>> refuse_encoding(Document& document, const Limits& limits) {
  if (document.text.size() > limits.bytes) {
    return fault(document, 0, 0, "longer than the limit of " + std::to_string(limits.bytes) + " bytes", "split the file");
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
    if (another) tree.fail("found a second document (after '---'), expected one", "put it into a file of its own");
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 0 : error.mark.line + 1;
    if (const std::string alias = alias_at(document, error.mark); !alias.empty()) {
      return fault(document, line, error.mark.column + 1, "aliases are not allowed, found " + alias, "write the value out");
    }
    return fault(document, line, line == 0 ? 0 : error.mark.column + 1, "not valid YAML: " + error.msg, "check indentation, quotes and brackets");
  } catch (const TreeBuilder::Stop&) {
  }
  if (has_errors(tree.issues())) return {std::nullopt, tree.take_issues()};
  document.root = tree.take_root();
  return {std::move(document), tree.take_issues()};
}

}  // namespace steelyard::load
