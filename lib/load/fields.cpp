#include "load/fields.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace steelyard::load {

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return "nothing";
    case Node::Kind::list: return "a list";
    case Node::Kind::map: return "a map";
    case Node::Kind::scalar: break;
  }
  return "'" + (node.text.size() > 60 ? node.text.substr(0, 57) + "..." : node.text) + "'";
}

namespace {

// "80 GB" -> "80": the part of a text that would have been a number.
std::string number_in(const std::string& text) {
  const std::string head(trim(text.substr(0, text.find_first_not_of("0123456789.-"))));
  return parse_number(head) ? head : std::string();
}

std::string number_fix(const Node& node) {
  if (node.kind != Node::Kind::scalar) return "write a number";
  if (const std::string inner = number_in(node.text); !inner.empty() && inner != node.text) {
    return "write " + inner + "; the unit is part of the key";
  }
  if (node.quoted && parse_number(node.text)) return "write " + node.text + " without quotes";
  return "write a number such as 80 or 1.5; leave the key out where it is not known";
}

}  // namespace

Fields::Fields(const Document& document, const Node& node, Issues& issues, std::string what)
    : document_(document), node_(node), issues_(issues), what_(std::move(what)) {
  if (node.kind != Node::Kind::map) {
    issues_.push_back(document_.issue(document_.at(node), what_ + ": expected a map, found " + describe(node), "write `key: value` lines"));
  }
}

bool Fields::has(const std::string& key) const {
  const Node* value = node_.find(key);
  return value && value->kind != Node::Kind::null;
}

const Node* Fields::node(const std::string& key) {
  asked_.push_back(key);
  const Node* value = node_.find(key);
  return value && value->kind != Node::Kind::null ? value : nullptr;
}

const Node* Fields::scalar(const std::string& key, const std::string& expected, const std::string& fix) {
  const Node* value = node(key);
  if (!value) return nullptr;
  if (value->kind == Node::Kind::scalar) return value;
  fault(key, key + ": expected " + expected + ", found " + describe(*value), fix);
  return nullptr;
}

std::optional<double> Fields::number(const std::string& key, double least, double most) {
  const Node* value = scalar(key, "a number", "write a number");
  if (!value) return std::nullopt;
  const auto number = value->quoted ? std::nullopt : parse_number(value->text);
  if (!number) {
    fault(key, key + ": expected a number, found " + describe(*value), number_fix(*value));
    return std::nullopt;
  }
  if (*number < least || *number > most) {
    fault(key, key + ": expected a number from " + format_number(least) + " to " + format_number(most) + ", found " + value->text,
          "correct the figure, or leave the key out where it is not known");
    return std::nullopt;
  }
  return number;
}

std::optional<int> Fields::integer(const std::string& key, int least, int most) {
  const auto value = number(key, least, most);
  if (!value) return std::nullopt;
  const int whole = static_cast<int>(*value);
  if (static_cast<double>(whole) == *value) return whole;
  fault(key, key + ": expected a whole number, found " + format_number(*value), "write " + std::to_string(whole));
  return std::nullopt;
}

std::optional<bool> Fields::flag(const std::string& key) {
  const Node* value = scalar(key, "true or false", "write true or false");
  if (!value) return std::nullopt;
  if (!value->quoted && (value->text == "true" || value->text == "false")) return value->text == "true";
  fault(key, key + ": expected true or false, found " + describe(*value), "write true or false");
  return std::nullopt;
}

std::optional<std::string> Fields::text(const std::string& key) {
  const Node* value = scalar(key, "a text", "write a text");
  return value ? std::optional(value->text) : std::nullopt;
}

std::optional<std::string> Fields::word(const std::string& key, const std::vector<std::string>& allowed) {
  auto value = text(key);
  if (!value || std::find(allowed.begin(), allowed.end(), *value) != allowed.end()) return value;
  const auto near = nearest_words(*value, allowed, 1);
  fault(key, key + ": expected one of " + join(allowed, ", ") + "; found '" + *value + "'",
        near.empty() ? "use one of these words" : "write " + near.front());
  return std::nullopt;
}

std::vector<std::string> Fields::texts(const std::string& key) {
  const Node* value = node(key);
  if (!value) return {};
  if (value->kind == Node::Kind::scalar) return {value->text};
  std::vector<std::string> words;
  for (const Node& item : value->items) {
    if (item.kind == Node::Kind::scalar) {
      words.push_back(item.text);
    } else {
      issues_.push_back(document_.issue(document_.at(item), key + ": expected a text, found " + describe(item), "write texts only"));
    }
  }
  if (value->kind == Node::Kind::map) fault(key, key + ": expected a list of texts, found a map", "write [one, two]");
  return words;
}

double Fields::required_number(const std::string& key, double least, double most) {
  if (!has(key)) fault(key, what_ + ": " + key + " is missing", "add `" + key + ": <number>`");
  return number(key, least, most).value_or(0);
}

std::string Fields::required_text(const std::string& key) {
  if (!has(key)) fault(key, what_ + ": " + key + " is missing", "add `" + key + ": <text>`");
  return text(key).value_or("");
}

void Fields::fault(const std::string& key, const std::string& message, const std::string& fix, Severity severity) {
  const Node* value = node_.find(key);
  issues_.push_back(document_.issue(document_.at(value ? *value : node_), message, fix, severity));
}

void Fields::finish() {
  for (const Entry& entry : node_.entries) {
    if (std::find(asked_.begin(), asked_.end(), entry.key) != asked_.end()) continue;
    const auto near = nearest_words(entry.key, asked_, 1);
    issues_.push_back(document_.issue(document_.at(entry), what_ + ": unknown key '" + entry.key + "'",
                                      near.empty() ? "known keys: " + join(asked_, ", ") : "did you mean " + near.front() + "?"));
  }
}

void each_map(const Document& document, const Node& list, Issues& issues, const std::string& what, const std::function<void(Fields&)>& read) {
  if (list.kind != Node::Kind::list) {
    issues.push_back(document.issue(document.at(list), what + ": expected a list, found " + describe(list), "write `- key: value` items"));
    return;
  }
  for (const Node& item : list.items) {
    Fields fields(document, item, issues, what);
    if (item.kind == Node::Kind::map) read(fields);
  }
}

}  // namespace steelyard::load
