// Builds a Node tree from the events of a parser; holds the checks that YAML and JSON share.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "load/node.hpp"

namespace steelyard::load {

class TreeBuilder {
 public:
  /// Thrown by `fail` where reading cannot go on; never leaves this folder.
  struct Stop {};

  TreeBuilder(const Document& document, int most_depth) : document_(document), most_depth_(most_depth) {}

  /// Where the next value stands.
  void place(int line, int column);
  void null();
  void scalar(std::string text, bool quoted);
  void open(Node::Kind kind);
  void close();
  /// Records an issue at the place and stops.
  [[noreturn]] void fail(std::string message, std::string fix);

  const Issues& issues() const { return issues_; }
  Issues take_issues() { return std::move(issues_); }
  Node take_root() { return std::move(root_); }

 private:
  struct Level {
    Node node;
    bool key_next = true;
    std::unordered_set<std::string> keys;
  };

  void add(Node node);
  void add_key(const Node& node);
  Node placed(Node::Kind kind) const;

  const Document& document_;
  int most_depth_;
  int line_ = 0, column_ = 0;
  std::vector<Level> levels_;
  Node root_;
  Issues issues_;
};

}  // namespace steelyard::load
