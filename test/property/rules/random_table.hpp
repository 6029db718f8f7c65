// Random decision tables: as the oracle reads them, and the same as a rule file for the engine.
#pragma once

#include <algorithm>

#include "oracle.hpp"
#include "random_book.hpp"

namespace steelyard::rules {

class RandomTable {
 public:
  explicit RandomTable(std::uint64_t seed) : random_(seed) {}

  oracle::Table table();
  /// The rule file of one table, whose decision is `t`.
  static Value file(const oracle::Table& table);
  oracle::Facts row();
  static std::vector<std::string> fact_names() { return {"n0", "n1", "n2", "n3", "t0", "t1", "b0", "b1", "limit"}; }

 private:
  oracle::Rule rule(const oracle::Table& table);
  oracle::Cell cell(const std::string& column);
  oracle::Alternative alternative(const std::string& column);
  oracle::Alternative range();
  oracle::End end();
  Value output();
  Value fitting_default(const oracle::Table& table);
  Value word() { return random_.pick(std::vector<std::string>{"a", "b", "c", "d"}); }

  Random random_;
  bool maps_ = false, numbers_ = false;
};

inline oracle::Table RandomTable::table() {
  const std::vector<std::string> policies{"U", "A", "P", "F", "F", "R", "O", "C", "C+", "C<", "C>", "C#"};
  oracle::Table table;
  table.policy = random_.pick(policies);
  numbers_ = table.policy.starts_with("C") && table.policy != "C" && table.policy != "C#";
  maps_ = !numbers_ && random_.chance(25);
  const std::vector<std::string> names = fact_names();
  for (int count = 1 + random_.below(8); count > 0; --count) table.columns.push_back(names[static_cast<std::size_t>(random_.below(8))]);
  for (int count = 1 + random_.below(30); count > 0; --count) table.rules.push_back(rule(table));
  if (random_.chance(50)) table.otherwise = fitting_default(table);
  if (table.policy == "P" || table.policy == "O") {
    const std::vector<Value> words{"c", "a"}, numbers{2, 0};  // b, d, 1 and 3 are not listed
    table.priorities = maps_ ? decltype(table.priorities){{"y", words}, {"x", numbers}} : decltype(table.priorities){{"", {"c", "a", 2, 0}}};
  }
  return table;
}

// Many rules would never apply if every cell asked for something: the more columns, the more dashes.
inline oracle::Rule RandomTable::rule(const oracle::Table& table) {
  oracle::Rule rule;
  const int dashes = 30 + 7 * static_cast<int>(table.columns.size());
  for (const std::string& column : table.columns) rule.cells.push_back(random_.chance(dashes) ? oracle::Cell{} : cell(column));
  rule.output = output();
  return rule;
}

inline Value RandomTable::output() {
  if (numbers_) return random_.below(5) - 2;
  if (maps_) return Value::Map{{"x", random_.below(4)}, {"y", word()}};
  return random_.chance(60) ? word() : Value(random_.below(4));
}

// A default of another type than all rules is refused when the book loads.
inline Value RandomTable::fitting_default(const oracle::Table& table) {
  const Value value = output();
  const auto alike = [&](const oracle::Rule& rule) { return rule.output.is_string() == value.is_string(); };
  return std::any_of(table.rules.begin(), table.rules.end(), alike) ? value : random_.pick(table.rules).output;
}

inline oracle::Cell RandomTable::cell(const std::string& column) {
  oracle::Cell cell;
  cell.negated = random_.chance(20);
  for (int count = random_.chance(70) ? 1 : 2 + random_.below(2); count > 0; --count) cell.alternatives.push_back(alternative(column));
  return cell;
}

inline oracle::Alternative RandomTable::alternative(const std::string& column) {
  oracle::Alternative one;
  if (random_.chance(4)) {
    one.value = Value();
  } else if (column[0] == 't') {
    one.value = word();
  } else if (column[0] == 'b') {
    one.value = random_.chance(50);
  } else if (random_.chance(25)) {
    one.value = 0.5 * random_.below(14);
  } else {
    return range();
  }
  return one;
}

inline oracle::Alternative RandomTable::range() {
  oracle::Alternative one;
  const int form = random_.below(4);
  if (form != 0) one.low = end();
  if (form != 1) one.high = end();
  if (one.low && one.high && one.low->fact.empty() && one.high->fact.empty()) one.high->number = one.low->number + 0.5 + random_.below(5);
  one.low_open = random_.chance(50);
  one.high_open = random_.chance(50);
  return one;
}

inline oracle::End RandomTable::end() { return random_.chance(12) ? oracle::End{0, "limit"} : oracle::End{0.5 * random_.below(14), ""}; }

// `limit` always applies where it is known: comparing with what does not apply is an error, and this test is about tables.
inline oracle::Facts RandomTable::row() {
  oracle::Facts facts;
  const int unknown = random_.pick(std::vector<int>{0, 0, 5, 15, 40});
  for (const std::string& name : fact_names()) {
    if (random_.chance(unknown)) continue;
    if (name != "limit" && random_.chance(4)) {
      facts[name] = Value();
    } else if (name[0] == 't') {
      facts[name] = word();
    } else if (name[0] == 'b') {
      facts[name] = random_.chance(50);
    } else {
      facts[name] = 0.5 * random_.below(14);
    }
  }
  return facts;
}

// ---- the table as text

inline std::string text_of(const oracle::End& end) { return end.fact.empty() ? to_json(Value(end.number)) : end.fact; }

inline std::string text_of(const oracle::Alternative& one) {
  if (one.value) return to_json(*one.value);
  if (!one.high) return (one.low_open ? "> " : ">= ") + text_of(*one.low);
  if (!one.low) return (one.high_open ? "< " : "<= ") + text_of(*one.high);
  return (one.low_open ? "(" : "[") + text_of(*one.low) + ".." + text_of(*one.high) + (one.high_open ? ")" : "]");
}

inline std::string text_of(const oracle::Cell& cell) {
  if (cell.alternatives.empty()) return "-";
  std::string text;
  for (const oracle::Alternative& one : cell.alternatives) text += (text.empty() ? "" : ", ") + text_of(one);
  return cell.negated ? "not(" + text + ")" : text;
}

inline Value RandomTable::file(const oracle::Table& table) {
  Value facts, rules, inputs;
  for (const std::string& name : fact_names()) {
    facts.push_back(Value::Map{{"name", name}, {"type", name[0] == 't' ? "string" : name[0] == 'b' ? "bool" : "number"}});
  }
  for (std::size_t at = 0; at < table.columns.size(); ++at) inputs["i" + std::to_string(at)] = table.columns[at];
  for (const oracle::Rule& rule : table.rules) {
    Value cells;
    for (const oracle::Cell& cell : rule.cells) cells.push_back(text_of(cell));
    const std::string id = "t." + std::to_string(rules.is_list() ? rules.as_list().size() : 0);
    rules.push_back(Value::Map{{"id", id}, {"when", cells}, {"then", rule.output}, {"because", "1"}});
  }
  Value decision = Value::Map{{"id", "t"}, {"hit_policy", table.policy}, {"inputs", inputs}, {"rules", rules}};
  if (table.otherwise) decision["default"] = *table.otherwise;
  for (const auto& [entry, values] : table.priorities) {
    if (entry.empty()) {
      decision["priorities"] = values;
    } else {
      decision["priorities"][entry] = values;
    }
  }
  return Value::Map{{"facts", facts}, {"decisions", Value::List{decision}}};
}

}  // namespace steelyard::rules
