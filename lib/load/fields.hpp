// Reads one map field by field; every fault becomes an issue with its place, and reading goes on.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "load/node.hpp"

namespace steelyard::load {

/// One map of a document. Missing optional fields and explicit nulls are empty. Call `finish` last: it names unknown keys.
class Fields {
 public:
  /// `what` names the map in messages ("board"). A node that is no map is an issue, and all fields are empty.
  Fields(const Document& document, const Node& node, Issues& issues, std::string what);

  SourceLocation where() const { return document_.at(node_); }
  bool has(const std::string& key) const;

  std::optional<double> number(const std::string& key, double least = -1e300, double most = 1e300);
  std::optional<int> integer(const std::string& key, int least = 0, int most = 2'000'000'000);
  std::optional<bool> flag(const std::string& key);
  std::optional<std::string> text(const std::string& key);
  /// One of the words, or an issue that lists them.
  std::optional<std::string> word(const std::string& key, const std::vector<std::string>& allowed);
  /// A list of strings; a single string counts as a list of one.
  std::vector<std::string> texts(const std::string& key);
  /// The node of a key, whatever it is; nullptr where missing or null.
  const Node* node(const std::string& key);
  /// The same for keys that must be there: a missing one is an issue.
  double required_number(const std::string& key, double least = -1e300, double most = 1e300);
  std::string required_text(const std::string& key);

  /// An issue at the value of a key (or at the map where the key is missing).
  void fault(const std::string& key, const std::string& message, const std::string& fix = {}, Severity severity = Severity::error);
  /// Names every key that nobody asked for, with the nearest known one.
  void finish();

  const Document& document() const { return document_; }
  Issues& issues() { return issues_; }

 private:
  const Node* scalar(const std::string& key, const std::string& expected, const std::string& fix);

  const Document& document_;
  const Node& node_;
  Issues& issues_;
  std::string what_;
  std::vector<std::string> asked_;
};

/// Calls `read` for each map of a list node; a node that is no list is an issue.
void each_map(const Document& document, const Node& list, Issues& issues, const std::string& what, const std::function<void(Fields&)>& read);

/// How a node is named in a message: "'80 GB'", "a list", "nothing".
std::string describe(const Node& node);

}  // namespace steelyard::load
