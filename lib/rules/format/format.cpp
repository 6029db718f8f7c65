// The canonical text of a rule file: one order of keys, one way to quote and to break lines; comments stay with what they stand before or behind.
#include <algorithm>
#include <map>
#include <steelyard/rule_tools.hpp>

#include "core/text.hpp"
#include "load/node.hpp"
#include "rules/format/comments.hpp"

namespace steelyard::rules {

namespace {

using load::Entry;
using load::Node;

constexpr std::size_t width = 150;

// The keys of files, decisions, rules, facts and test rows, each in the order in which one reads them.
constexpr std::string_view key_order[] = {"extends", "off",   "replace", "facts",   "answers", "to",   "before", "id",         "name",
                                          "about",   "type",  "unit",    "values",  "min",     "max",  "inputs", "hit_policy", "priorities",
                                          "value",   "when",  "then",    "input",   "output",  "rule", "status", "unknown",    "on_unknown",
                                          "add",     "rules", "default", "because", "source",  "lint", "tests",  "decisions"};
constexpr std::string_view block_lists[] = {"rules", "tests", "facts", "decisions", "add", "replace"};
constexpr std::string_view structure_keys[] = {"rules", "tests", "facts", "decisions", "add", "replace", "inputs", "hit_policy", "to"};

template <std::size_t count>
bool listed(const std::string_view (&words)[count], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::size_t rank(const std::string& key) {
  return static_cast<std::size_t>(std::find(std::begin(key_order), std::end(key_order), key) - std::begin(key_order));
}

// Only maps that the rule language knows have an order of keys; those of inputs, outputs and test rows are the author's.
void order_keys(Node& node, bool known) {
  if (known && node.kind == Node::Kind::map) {
    std::stable_sort(node.entries.begin(), node.entries.end(), [](const Entry& one, const Entry& other) { return rank(one.key) < rank(other.key); });
  }
  for (Node& item : node.items) order_keys(item, known);
  for (Entry& entry : node.entries) order_keys(entry.value, known && listed(block_lists, entry.key));
}

// ---- comments

using Place = std::pair<int, int>;  // line, column
using Lines = std::vector<std::string>;

template <class T>
Place place_of(const T& part) {
  return {part.line, part.column};
}

// Each comment goes to the map entry or list item that follows it, or, behind something, to the first that starts on its line.
class Attached {
 public:
  Attached(const Node& root, std::vector<Comment> comments) {
    collect(root);
    std::sort(places_.begin(), places_.end());
    for (Comment& comment : comments) attach(std::move(comment));
  }

  const std::vector<std::string>& before(const Place& place) const { return at(before_, place); }
  const std::vector<std::string>& behind(const Place& place) const { return at(behind_, place); }
  const std::vector<std::string>& last() const { return last_; }

  /// Does a comment stand inside of this value. A map that is a list item starts where its first key does: what stands there is the item's.
  bool inside(const Node& node, bool is_item = false) const {
    const auto said = [](const std::string& comment) { return !comment.empty(); };
    const auto any = [&](const Place& place) { return std::any_of(before(place).begin(), before(place).end(), said) || !behind(place).empty(); };
    for (const Node& item : node.items) {
      if (any(place_of(item)) || inside(item, true)) return true;
    }
    return std::any_of(node.entries.begin(), node.entries.end(), [&](const Entry& entry) {
      const bool shared = is_item && place_of(entry) == place_of(node);
      return (!shared && any(place_of(entry))) || inside(entry.value);
    });
  }

 private:
  using Comments = std::map<Place, std::vector<std::string>>;

  static const std::vector<std::string>& at(const Comments& comments, const Place& place) {
    static const std::vector<std::string> none;
    const auto found = comments.find(place);
    return found == comments.end() ? none : found->second;
  }

  void collect(const Node& node) {
    for (const Node& item : node.items) {
      places_.push_back(place_of(item));
      collect(item);
    }
    for (const Entry& entry : node.entries) {
      places_.push_back(place_of(entry));
      collect(entry.value);
    }
  }

  void attach(Comment comment) {
    if (!comment.own) {
      const auto first = std::lower_bound(places_.begin(), places_.end(), Place{comment.line, 0});
      if (first != places_.end() && first->first == comment.line) return behind_[*first].push_back(std::move(comment.text));
    }
    const auto next = std::lower_bound(places_.begin(), places_.end(), Place{comment.line, 0});
    if (next == places_.end()) return last_.push_back(std::move(comment.text));
    before_[*next].push_back(std::move(comment.text));
  }

  std::vector<Place> places_;
  Comments before_, behind_;
  std::vector<std::string> last_;
};

// ---- scalars

bool plain_works(const std::string& text, bool flow) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; })) return false;
  if (std::string_view("?:,[]{}#&*!|>'\"%@`").find(text.front()) != std::string_view::npos) return false;
  if (text.front() == '-' && (text.size() == 1 || text[1] == ' ')) return false;
  if (text.find(": ") != std::string::npos || text.find(" #") != std::string::npos) return false;
  return !flow || text.find_first_of(",[]{}?") == std::string::npos;
}

std::string double_quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': result += "\\\""; break;
      case '\\': result += "\\\\"; break;
      case '\n': result += "\\n"; break;
      case '\t': result += "\\t"; break;
      default: result += c;
    }
  }
  return result + "\"";
}

// Quotes stay where they were: they may be what makes "80" a text.
std::string scalar(const Node& node, bool flow) {
  if (!node.quoted && plain_works(node.text, flow)) return node.text;
  const bool simple = node.text.find_first_of("\"\\") == std::string::npos || node.text.find_first_of("'\n\t") != std::string::npos;
  return simple ? double_quoted(node.text) : "'" + node.text + "'";
}

std::string key_text(const std::string& key) { return plain_works(key, true) ? key : double_quoted(key); }

std::string flow_text(const Node& node) {
  std::string text;
  switch (node.kind) {
    case Node::Kind::null: return "null";
    case Node::Kind::scalar: return scalar(node, true);
    case Node::Kind::list:
      for (const Node& item : node.items) text += (text.empty() ? "" : ", ") + flow_text(item);
      return "[" + text + "]";
    case Node::Kind::map: break;
  }
  for (const Entry& entry : node.entries) text += (text.empty() ? "" : ", ") + key_text(entry.key) + ": " + flow_text(entry.value);
  return "{" + text + "}";
}

bool folds(const std::string& text) {
  return text.find_first_of("\n\t") == std::string::npos && text.find("  ") == std::string::npos && !text.empty() && text.front() != ' ' &&
         text.back() != ' ';
}

// ---- lines

class Writer {
 public:
  explicit Writer(const Attached& comments) : comments_(comments) {}

  std::string run(const Node& root) {
    for (const Entry& entry : root.entries) entry_lines(entry, 0);
    lines(comments_.last(), 0);
    while (text_.ends_with("\n\n")) text_.pop_back();
    return std::move(text_);
  }

 private:
  void lines(const Lines& comments, std::size_t indent) {
    for (const std::string& comment : comments) {
      if (comment.empty()) {
        blank();
      } else {
        text_ += std::string(indent, ' ') + comment + "\n";
      }
    }
  }

  // One blank line at most, none at the beginning of a file or a list.
  void blank() {
    if (!text_.empty() && !text_.ends_with("\n\n") && !text_.ends_with(":\n")) text_ += "\n";
  }

  static std::string tail(const Lines& comments) { return comments.empty() ? "" : "  " + join(comments, " "); }

  void entry_lines(const Entry& entry, std::size_t indent) {
    lines(comments_.before(place_of(entry)), indent);
    text_ += std::string(indent, ' ');
    value(entry, indent, comments_.behind(place_of(entry)));
  }

  void value(const Entry& entry, std::size_t indent, const Lines& comments) {
    const Node& node = entry.value;
    const std::string head = key_text(entry.key) + ":";
    const bool one_line = node.items.empty() && node.entries.empty();
    const std::string flat = node.kind == Node::Kind::scalar ? scalar(node, false) : flow_text(node);
    const bool fits = indent + head.size() + 1 + flat.size() <= width;
    const bool block = listed(block_lists, entry.key) && node.kind == Node::Kind::list;
    if (one_line ? fits || !folds(node.text) : fits && !block && !comments_.inside(node)) {
      text_ += head + " " + flat + tail(comments) + "\n";
    } else if (one_line) {
      text_ += head + " >-" + tail(comments) + "\n";
      folded(node.text, indent + 2);
    } else {
      text_ += head + tail(comments) + "\n";
      for (const Entry& inner : node.entries) entry_lines(inner, indent + 2);
      list(node, indent + 2, entry.key == "decisions");
    }
  }

  void list(const Node& node, std::size_t indent, bool spaced) {
    for (const Node& item : node.items) {
      if (spaced) blank();
      lines(comments_.before(place_of(item)), indent);
      const bool structure =
          spaced || std::any_of(item.entries.begin(), item.entries.end(), [](const Entry& entry) { return listed(structure_keys, entry.key); });
      const std::string flat = flow_text(item);
      const bool fits = indent + 2 + flat.size() <= width && !comments_.inside(item, true);
      if (item.kind == Node::Kind::map && !item.entries.empty() && (structure || !fits)) {
        map_item(item, indent);
      } else {
        text_ += std::string(indent, ' ') + "- " + flat + tail(comments_.behind(place_of(item))) + "\n";
      }
    }
  }

  // An item in block style has the place of the key that stood first; what stands before it is the item's, what stands behind it the key's.
  void map_item(const Node& item, std::size_t indent) {
    const Entry& first = item.entries.front();
    const bool in_place = place_of(first) == place_of(item);
    const bool block = std::any_of(item.entries.begin(), item.entries.end(), [&](const Entry& entry) { return place_of(entry) == place_of(item); });
    if (!in_place) lines(comments_.before(place_of(first)), indent);
    Lines behind = comments_.behind(place_of(first));
    if (!block) behind.insert(behind.begin(), comments_.behind(place_of(item)).begin(), comments_.behind(place_of(item)).end());
    text_ += std::string(indent, ' ') + "- ";
    value(first, indent + 2, behind);
    for (std::size_t at = 1; at < item.entries.size(); ++at) {
      const Entry& entry = item.entries[at];
      if (place_of(entry) != place_of(item)) lines(comments_.before(place_of(entry)), indent + 2);
      text_ += std::string(indent + 2, ' ');
      value(entry, indent + 2, comments_.behind(place_of(entry)));
    }
  }

  void folded(const std::string& text, std::size_t indent) {
    std::string line;
    for (const std::string& word : split(text, ' ')) {
      if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
        text_ += std::string(indent, ' ') + line + "\n";
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
    }
    text_ += std::string(indent, ' ') + line + "\n";
  }

  const Attached& comments_;
  std::string text_;
};

bool same_comments(const std::string& one, const std::string& other) {
  const auto texts = [](const std::string& text) {
    Lines all;
    for (const Comment& comment : comments_of(text)) {
      if (!comment.text.empty()) all.push_back(comment.text);
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  return texts(one) == texts(other);
}

}  // namespace

}  // namespace steelyard::rules

namespace steelyard {

Loaded<std::string> format_rule_file(const std::string& text, const std::string& file) {
  const auto document = load::parse_document(text, file);
  if (!document) return {std::nullopt, document.issues};
  load::Node root = document.value->root;
  if (root.kind != load::Node::Kind::map) {
    return {std::nullopt,
            {document.value->issue({file, 1, 1}, "rule file: expected a map, found " + std::string(root.items.empty() ? "nothing" : "a list"),
                                   "write `id:`, `decisions:` or `facts:`")}};
  }
  rules::order_keys(root, true);
  const rules::Attached comments(root, rules::comments_of(text));
  std::string formatted = rules::Writer(comments).run(root);
  // A formatter that changes what a file says would be worse than none.
  const auto again = load::parse_document(formatted, file);
  if (!again || !(load::to_value(again.value->root) == load::to_value(root)) || !rules::same_comments(text, formatted)) {
    return {std::nullopt,
            {document.value->issue({file, 1, 1}, "this file can't be formatted without changing it", "format it by hand, and report it")}};
  }
  return {std::move(formatted), {}};
}

}  // namespace steelyard
