#include "rules/language/datum.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace steelyard::rules {

Datum Heap::error(std::string message) {
  Datum datum = text(std::move(message));
  datum.kind = Kind::error;
  return datum;
}

void Heap::clear() {
  texts_.clear();
  lists_.clear();
  maps_.clear();
  names_.clear();
}

namespace {

// Exact where both are integers; otherwise as reals, as CEL compares across kinds.
bool equal_numbers(const Datum& one, const Datum& other) {
  if (one.kind == Kind::integer && other.kind == Kind::integer) return one.integer == other.integer;
  return one.number() == other.number();
}

bool equal_lists(const List& one, const List& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Datum& a, const Datum& b) { return equal(a, b); });
}

bool equal_maps(const Map& one, const Map& other) {
  if (one.size() != other.size()) return false;
  return std::all_of(one.begin(), one.end(), [&](const auto& entry) {
    const Datum* found = find(other, entry.first);
    return found && equal(entry.second, *found);
  });
}

}  // namespace

bool equal(const Datum& one, const Datum& other) {
  if (one.is_number() && other.is_number()) return equal_numbers(one, other);
  if (one.kind != other.kind) return false;
  switch (one.kind) {
    case Kind::null: return true;
    case Kind::boolean: return one.boolean == other.boolean;
    case Kind::text: return one.text == other.text || *one.text == *other.text;
    case Kind::list: return one.list == other.list || equal_lists(*one.list, *other.list);
    case Kind::map: return one.map == other.map || equal_maps(*one.map, *other.map);
    default: return false;
  }
}

const Datum* find(const Map& map, const Datum& key) {
  for (const auto& [name, value] : map) {
    if (equal(name, key)) return &value;
  }
  return nullptr;
}

const Datum* find(const Map& map, std::string_view key) {
  for (const auto& [name, value] : map) {
    if (name.kind == Kind::text && *name.text == key) return &value;
  }
  return nullptr;
}

void add_names(Names& names, const Datum& unknown) {
  if (unknown.kind != Kind::unknown) return;
  for (const int name : *unknown.names) {
    const auto at = std::lower_bound(names.begin(), names.end(), name);
    if (at == names.end() || *at != name) names.insert(at, name);
  }
}

Datum merge(const Datum& one, const Datum& other, Heap& heap) {
  if (one.kind != Kind::unknown) return other.kind == Kind::unknown || one.known() ? other : one;
  if (other.kind != Kind::unknown || one.names == other.names) return one;
  Names names = *one.names;
  add_names(names, other);
  return names.size() == one.names->size() ? one : heap.unknown(std::move(names));
}

Datum to_datum(const Value& value, Heap& heap, bool as_real) {
  if (value.is_null()) return Datum();
  if (value.is_bool()) return Datum(value.as_bool());
  if (value.is_int() && !as_real) return Datum(value.as_int());
  if (value.is_number()) return Datum(value.as_number());
  if (value.is_string()) return Datum(&value.as_string());
  if (value.is_list()) {
    List list;
    for (const Value& item : value.as_list()) list.push_back(to_datum(item, heap, as_real));
    return heap.list(std::move(list));
  }
  Map map;
  for (const auto& [key, item] : value.as_map()) map.emplace_back(Datum(&key), to_datum(item, heap, as_real));
  return heap.map(std::move(map));
}

Datum copy(const Datum& datum, Heap& heap) {
  switch (datum.kind) {
    case Kind::text: return heap.text(*datum.text);
    case Kind::error: return heap.error(*datum.text);
    case Kind::unknown: return heap.unknown(*datum.names);
    case Kind::list: {
      List list;
      for (const Datum& item : *datum.list) list.push_back(copy(item, heap));
      return heap.list(std::move(list));
    }
    case Kind::map: {
      Map map;
      for (const auto& [key, item] : *datum.map) map.emplace_back(copy(key, heap), copy(item, heap));
      return heap.map(std::move(map));
    }
    default: return datum;
  }
}

namespace {

constexpr double most_exact_integer = 9007199254740992.0;  // 2^53

Value number_value(double number) {
  const bool whole = std::abs(number) < most_exact_integer && number == std::floor(number);
  return whole ? Value(static_cast<std::int64_t>(number)) : Value(number);
}

std::string key_text(const Datum& key) { return key.kind == Kind::text ? *key.text : describe(key); }

}  // namespace

Value to_value(const Datum& datum) {
  switch (datum.kind) {
    case Kind::unknown:
    case Kind::error:
    case Kind::null: return {};
    case Kind::boolean: return datum.boolean;
    case Kind::integer: return datum.integer;
    case Kind::real: return number_value(datum.real);
    case Kind::text: return *datum.text;
    case Kind::list: {
      Value::List list;
      for (const Datum& item : *datum.list) list.push_back(to_value(item));
      return list;
    }
    case Kind::map: break;
  }
  Value::Map map;
  for (const auto& [key, item] : *datum.map) map.emplace_back(key_text(key), to_value(item));
  return map;
}

std::string describe(const Datum& datum) {
  switch (datum.kind) {
    case Kind::unknown: return "unknown";
    case Kind::error: return "error: " + *datum.text;
    case Kind::null: return "null";
    case Kind::boolean: return datum.boolean ? "true" : "false";
    case Kind::integer: return std::to_string(datum.integer);
    case Kind::real: return std::isfinite(datum.real) ? format_number(datum.real) : std::isnan(datum.real) ? "NaN" : "infinity";
    case Kind::text: return "\"" + *datum.text + "\"";
    case Kind::list: return "a list of " + std::to_string(datum.list->size());
    case Kind::map: break;
  }
  return "a map of " + std::to_string(datum.map->size());
}

std::string_view kind_name(Kind kind) {
  constexpr std::string_view names[] = {"unknown", "error", "null", "bool", "int", "double", "string", "list", "map"};
  return names[static_cast<int>(kind)];
}

}  // namespace steelyard::rules
