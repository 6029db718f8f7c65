#include "habits/notes.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace steelyard::habits {

void Notes::take(std::string field, Value value, const Said& said, const std::string& format) {
  understood.push_back({said.key, std::move(value), std::move(field), format, said.where, false});
}

void Notes::assume(std::string field, Value value, std::string key, const std::string& format, SourceLocation where) {
  where.line = where.column = 0;
  understood.push_back({std::move(key), std::move(value), std::move(field), format, std::move(where), true});
}

void Notes::leave_open(const Said& said, std::string because) { open.push_back({said.key, std::move(because), said.where}); }

std::optional<bool> truth(std::string_view word) {
  const std::string lower = to_lower(word);
  for (const char* yes : {"true", "yes", "on", "1"}) {
    if (lower == yes) return true;
  }
  for (const char* no : {"false", "no", "off", "0"}) {
    if (lower == no) return false;
  }
  return std::nullopt;
}

Sayings::Sayings(std::vector<Said> said, std::string format, Notes& notes) : said_(std::move(said)), format_(std::move(format)), notes_(notes) {}

Said* Sayings::raw(std::string_view key) {
  // The last one counts, as in argument parsers.
  const auto found = std::find_if(said_.rbegin(), said_.rend(), [&](const Said& one) { return one.key == key; });
  return found == said_.rend() ? nullptr : &*found;
}

bool Sayings::has(std::string_view key) const {
  return std::any_of(said_.begin(), said_.end(), [&](const Said& one) { return one.key == key; });
}

const Said* Sayings::find(std::string_view key) {
  for (Said& one : said_) {
    if (one.key == key && &one != raw(key)) one.read = true;
  }
  Said* said = raw(key);
  if (!said) return nullptr;
  const bool first = !said->read;
  said->read = true;
  const std::string value = to_lower(said->text());
  const bool left_open = value == "auto" || value == "null" || value == "none" || value == "~";
  if (first && said->unresolved) notes_.leave_open(*said, "hangs on a variable or command that this text does not resolve");
  if (first && value == "auto") notes_.leave_open(*said, "auto: left to the engine");
  return said->unresolved || left_open ? nullptr : said;
}

std::optional<std::string> Sayings::word(std::string_view key) {
  const Said* said = find(key);
  if (!said) return std::nullopt;
  if (said->values.size() == 1) return said->values.front();
  notes_.leave_open(*said, "expected one value");
  return std::nullopt;
}

std::optional<bool> Sayings::flag(std::string_view key) {
  const Said* said = find(key);
  if (!said) return std::nullopt;
  if (said->values.empty()) return true;
  const auto value = truth(said->text());
  if (!value) notes_.leave_open(*said, "expected true or false, found '" + join(said->values, " ") + "'");
  return value;
}

std::optional<double> Sayings::number(std::string_view key) {
  const Said* said = find(key);
  if (!said) return std::nullopt;
  const auto value = parse_number(said->text());
  if (!value) notes_.leave_open(*said, "expected a number, found '" + join(said->values, " ") + "'");
  return value;
}

void Sayings::count(std::string_view key, const char* field) {
  const auto value = number(key);
  if (!value) return;
  if (*value >= 1 && *value <= 2e9 && std::floor(*value) == *value) {
    notes_.take(field, Value(static_cast<std::int64_t>(*value)), *raw(key), format_);
  } else {
    notes_.leave_open(*raw(key), "expected a whole number above zero, found " + raw(key)->text());
  }
}

void Sayings::amount(std::string_view key, const char* field) {
  const auto value = number(key);
  if (!value) return;
  if (*value > 0) {
    const bool whole = std::floor(*value) == *value && *value < 1e15;
    notes_.take(field, whole ? Value(static_cast<std::int64_t>(*value)) : Value(*value), *raw(key), format_);
  } else {
    notes_.leave_open(*raw(key), "expected a number above zero, found " + raw(key)->text());
  }
}

void Sayings::text(std::string_view key, const char* field) {
  const auto value = word(key);
  if (value && !value->empty()) notes_.take(field, *value, *raw(key), format_);
}

void Sayings::take(std::string_view key, const char* field, Value value) {
  if (const Said* said = raw(key)) notes_.take(field, std::move(value), *said, format_);
}

void Sayings::assume(const char* field, Value value, const char* key) {
  if (complete_) notes_.assume(field, std::move(value), key, format_, start());
}

void Sayings::leave_open(std::string_view key, std::string because) {
  Said* said = raw(key);
  if (!said) return;
  said->read = true;
  notes_.leave_open(*said, std::move(because));
}

void Sayings::ignore(std::initializer_list<const char*> keys) {
  for (Said& said : said_) {
    if (said.read) continue;
    const bool named = std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
      if (!key.empty() && key.back() == '*') return std::string_view(said.key).substr(0, key.size() - 1) == key.substr(0, key.size() - 1);
      return said.key == key;
    });
    if (!named) continue;
    said.read = true;
    notes_.without_effect.push_back(said.key);
  }
}

void Sayings::finish() {
  for (Said& said : said_) {
    if (said.read) continue;
    said.read = true;
    notes_.leave_open(said, "not read: no meaning for memory, time or price is known here");
  }
}

namespace {

void flatten_into(const load::Document& document, const load::Node& node, const std::string& prefix, const SourceLocation& where,
                  std::vector<Said>& said) {
  if (node.kind == load::Node::Kind::map && (!node.entries.empty() || prefix.empty())) {
    for (const load::Entry& entry : node.entries) {
      flatten_into(document, entry.value, prefix.empty() ? entry.key : prefix + "." + entry.key, document.at(entry), said);
    }
    return;
  }
  if (node.kind == load::Node::Kind::null) return;
  Said one{prefix, {}, false, where, false};
  if (node.kind == load::Node::Kind::scalar) one.values.push_back(node.text);
  for (const load::Node& item : node.items) {
    if (item.kind == load::Node::Kind::scalar) one.values.push_back(item.text);
  }
  said.push_back(std::move(one));
}

}  // namespace

std::vector<Said> flatten(const load::Document& document) {
  std::vector<Said> said;
  flatten_into(document, document.root, "", document.at(document.root), said);
  return said;
}

}  // namespace steelyard::habits
