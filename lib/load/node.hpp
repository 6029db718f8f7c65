// A text as a tree of values that know their place. The only thing that the rest of the library sees of YAML and JSON.
#pragma once

#include <steelyard/issue.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::load {

struct Entry;

/// A null, a scalar (its text as written), a list or a map. Line and column are 1-based.
struct Node {
  enum class Kind : unsigned char { null, scalar, list, map };
  Kind kind = Kind::null;
  bool quoted = false;  // a scalar in quotes is a string, whatever it looks like
  int line = 0;
  int column = 0;
  std::string text;            // scalars
  std::vector<Node> items;     // lists
  std::vector<Entry> entries;  // maps, in the order of the text, keys unique

  const Node* find(std::string_view key) const;
};

struct Entry {
  std::string key;
  int line = 0;
  int column = 0;
  Node value;
};

/// One parsed text.
struct Document {
  std::string file;  // name used in messages
  std::string text;  // empty for embedded documents
  Node root;
  mutable int known_line = 1;  // where the last issue's line starts: issues come in the order of the text
  mutable std::size_t known_start = 0;

  SourceLocation at(const Node& node) const { return {file, node.line, node.column}; }
  SourceLocation at(const Entry& entry) const { return {file, entry.line, entry.column}; }
  /// An issue at a place, with the offending line as excerpt where the text is at hand.
  Issue issue(SourceLocation where, std::string message, std::string fix = {}, Severity severity = Severity::error) const;
};

/// Limits of a text: beyond them it is refused with a message.
struct Limits {
  std::size_t bytes = 16u << 20;
  int depth = 32;
};

/// YAML (one document; no anchors, aliases, merge keys, tags or duplicate keys) or JSON, recognised by content.
Loaded<Document> parse_document(std::string text, std::string file, const Limits& limits = {});
/// JSON only; much faster than YAML. Columns count bytes.
Loaded<Document> parse_json(std::string text, std::string file, const Limits& limits = {});
/// Reads a file (not a folder) and parses it.
Loaded<Document> read_document(const std::string& path, const Limits& limits = {});
/// The bytes of a file, or an issue that says why not.
Loaded<std::string> read_file(const std::string& path, std::size_t most_bytes = 1u << 30);

/// The plain value of a node: unquoted null, true, false and numbers by their look, all else strings.
Value to_value(const Node& node);
/// The node of a plain value, without places (for callers that hold dicts).
Node from_value(const Value& value);

}  // namespace steelyard::load
