#include "load/fields.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace steelyard::load {

namespace {

std::string quoted(std::string_view text) { return "'" + shortened(text, 60) + "'"; }

}  // namespace

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return "nothing";
    case Node::Kind::list: return "a list";
    case Node::Kind::map: return "a map";
    case Node::Kind::scalar: break;
  }
  return quoted(node.text);
}

namespace {

constexpr std::size_t most_unknown_keys = 20;  // of one map; a file of another kind has nothing else

// "2,048", "2_048" and "2 048" -> "2048": thousands kept apart in groups of three. Empty where the text is no such number.
std::string without_separators(std::string_view text) {
  const std::size_t first = text.find_first_of(",_ '");
  if (first == std::string_view::npos || first == 0 || first > 3) return {};
  const std::string plain = join(split(text, text[first]), "");
  for (std::size_t at = first; at < text.size() && text[at] != '.'; at += 4) {
    const std::string_view group = text.substr(at + 1, 3);
    if (text[at] != text[first] || group.size() < 3 || group.find_first_not_of("0123456789") != std::string_view::npos) return {};
  }
  return parse_number(plain) ? plain : std::string();
}

// What the number may be that a text stands for. Only what is certain is proposed: who takes the proposal must not get another figure.
std::string number_fix(const Node& node) {
  if (node.kind != Node::Kind::scalar) return "write a number";
  const std::string& text = node.text;
  if (node.quoted && parse_number(text)) return "write " + text + " without quotes";
  if (const std::string plain = without_separators(text); !plain.empty()) return "write " + plain + ", without separators";
  const std::size_t end = std::min(text.find_first_not_of("0123456789.-"), text.size());
  const std::string head = text.substr(0, end), unit(trim(std::string_view(text).substr(end)));
  const bool word = !unit.empty() && unit.find_first_of("0123456789,_") == std::string::npos;
  if (!parse_number(head) || !word) return "write a number such as 80 or 1.5e9; leave the key out where it is not known";
  if (unit.size() == 1 && std::string_view("kKmMgGbBtTx%").find(unit[0]) != std::string_view::npos)
    return "write the figure out, without '" + unit + "', such as 2048 or 1.5e9";
  return "write " + head + "; the unit is part of the key";
}

std::vector<std::string> each_once(std::vector<std::string> words) {
  std::vector<std::string> once;
  for (std::string& word : words) {
    if (std::find(once.begin(), once.end(), word) == once.end()) once.push_back(std::move(word));
  }
  return once;
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
  fault(key, key + ": expected one of " + join(allowed, ", ") + "; found " + quoted(*value),
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
  const std::vector<std::string> known = each_once(asked_);
  std::size_t unknown = 0;
  for (const Entry& entry : node_.entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end() || ++unknown > most_unknown_keys) continue;
    const auto near = nearest_words(entry.key, known, 1);
    issues_.push_back(document_.issue(document_.at(entry), what_ + ": unknown key " + quoted(entry.key),
                                      near.empty() ? "known keys: " + join(known, ", ") : "did you mean " + near.front() + "?"));
  }
  if (unknown <= most_unknown_keys) return;
  issues_.push_back(
      document_.issue(document_.at(node_),
                      what_ + ": " + std::to_string(unknown) + " unknown keys in all; the first " + std::to_string(most_unknown_keys) + " are named",
                      "is it a file of another kind?"));
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
