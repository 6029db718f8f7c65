#include "load/tree_builder.hpp"

namespace steelyard::load {

void TreeBuilder::place(int line, int column) {
  line_ = line;
  column_ = column;
}

Node TreeBuilder::placed(Node::Kind kind) const {
  Node node;
  node.kind = kind;
  node.line = line_;
  node.column = column_;
  return node;
}

void TreeBuilder::null() { add(placed(Node::Kind::null)); }

void TreeBuilder::scalar(std::string text, bool quoted) {
  Node node = placed(Node::Kind::scalar);
  node.text = std::move(text);
  node.quoted = quoted;
  add(std::move(node));
}

void TreeBuilder::open(Node::Kind kind) {
  if (static_cast<int>(levels_.size()) >= most_depth_) {
    fail("nested deeper than " + std::to_string(most_depth_) + " levels", "flatten it");
  }
  if (!levels_.empty() && levels_.back().node.kind == Node::Kind::map && levels_.back().key_next) {
    fail("expected a word as key, found a list or a map", "write `key: value`");
  }
  levels_.push_back({placed(kind), true, {}});
}

void TreeBuilder::close() {
  Node node = std::move(levels_.back().node);
  levels_.pop_back();
  add(std::move(node));
}

void TreeBuilder::add(Node node) {
  if (levels_.empty()) {
    root_ = std::move(node);
    return;
  }
  Level& level = levels_.back();
  if (level.node.kind == Node::Kind::list) {
    level.node.items.push_back(std::move(node));
  } else if (level.key_next) {
    add_key(node);
  } else {
    level.node.entries.back().value = std::move(node);
    level.key_next = true;
  }
}

void TreeBuilder::add_key(const Node& node) {
  Level& level = levels_.back();
  if (node.kind != Node::Kind::scalar) fail("expected a word as key, found nothing", "write `key: value`");
  if (node.text == "<<" && !node.quoted) fail("merge keys (<<) are not allowed", "write the entries out");
  if (!level.keys.insert(node.text).second) {
    place(node.line, node.column);
    for (const Entry& entry : level.node.entries) {
      if (entry.key == node.text) fail("key '" + node.text + "' stands twice, first in line " + std::to_string(entry.line), "keep one of them");
    }
  }
  level.node.entries.push_back({node.text, node.line, node.column, {}});
  level.key_next = false;
}

void TreeBuilder::fail(std::string message, std::string fix) {
  issues_.push_back(document_.issue({document_.file, line_, column_}, std::move(message), std::move(fix)));
  throw Stop{};
}

}  // namespace steelyard::load
