#include "load/node.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/text.hpp"

namespace steelyard::load {

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Issue Document::issue(SourceLocation where, std::string message, std::string fix, Severity severity) const {
  if (text.empty()) return {severity, std::move(where), std::move(message), std::move(fix), {}};
  if (where.line < known_line) {
    known_line = 1;
    known_start = 0;
  }
  while (known_line < where.line && known_start < text.size()) {
    known_start = std::min(text.find('\n', known_start), text.size() - 1) + 1;
    ++known_line;
  }
  const std::string_view line = where.line > 0 ? line_of(std::string_view(text).substr(std::min(known_start, text.size())), 1) : std::string_view();
  constexpr std::size_t most = 160;
  std::string excerpt = line.size() <= most || where.column < 150 ? shortened(line, most) : std::string();
  return {severity, std::move(where), std::move(message), std::move(fix), std::move(excerpt)};
}

Loaded<std::string> read_file(const std::string& path, std::size_t most_bytes) {
  const auto fail = [&](std::string message, std::string fix) {
    return Loaded<std::string>{std::nullopt, {{Severity::error, {path, 0, 0}, std::move(message), std::move(fix), {}}}};
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return fail("expected a file, found a folder", "name a file in it");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail(std::string("cannot be read: ") + std::strerror(errno), "check the name and the permissions");
  std::string text;
  std::vector<char> block(1 << 16);
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) || stream.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most_bytes) return fail("longer than " + std::to_string(most_bytes) + " bytes", "split it");
  }
  return {std::move(text), {}};
}

Loaded<Document> read_document(const std::string& path, const Limits& limits) {
  auto text = read_file(path, limits.bytes);
  if (!text) return {std::nullopt, std::move(text.issues)};
  return parse_document(std::move(*text.value), path, limits);
}

Value to_value(const Node& node) {
  if (node.kind == Node::Kind::list) {
    Value list = Value::list();
    for (const Node& item : node.items) list.push_back(to_value(item));
    return list;
  }
  if (node.kind == Node::Kind::map) {
    Value map = Value::map();
    for (const Entry& entry : node.entries) map.as_map().emplace_back(entry.key, to_value(entry.value));
    return map;
  }
  if (node.kind == Node::Kind::null) return {};
  if (node.quoted) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  if (const auto whole = parse_integer(node.text)) return static_cast<std::int64_t>(*whole);
  if (const auto number = parse_number(node.text)) return *number;
  return node.text;
}

Node from_value(const Value& value) {
  Node node;
  if (value.is_null()) return node;
  if (value.is_list()) {
    node.kind = Node::Kind::list;
    for (const Value& item : value.as_list()) node.items.push_back(from_value(item));
  } else if (value.is_map()) {
    node.kind = Node::Kind::map;
    for (const auto& [key, item] : value.as_map()) node.entries.push_back({key, 0, 0, from_value(item)});
  } else {
    node.kind = Node::Kind::scalar;
    node.quoted = value.is_string();
    if (value.is_bool()) node.text = value.as_bool() ? "true" : "false";
    if (value.is_int()) node.text = std::to_string(value.as_int());
    if (value.is_double()) node.text = format_number(value.as_number());
    if (value.is_string()) node.text = value.as_string();
  }
  return node;
}

}  // namespace steelyard::load
