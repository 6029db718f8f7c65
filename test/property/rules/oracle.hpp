// A decision table read word by word from its definition, as slow and plain as can be. It shares nothing with the engine: the property test compares
// both. What unknown facts leave open is tried out: the table runs once for every way in which the open rules may turn out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <steelyard/value.hpp>
#include <string>
#include <vector>

namespace steelyard::oracle {

/// What is known of a row: a name that is missing is unknown, null does not apply.
using Facts = std::map<std::string, Value>;

/// An end of an interval: a number, or the fact that holds it.
struct End {
  double number = 0;
  std::string fact;
};

/// A value, or an interval whose ends may be missing and may be open.
struct Alternative {
  std::optional<Value> value;
  std::optional<End> low, high;
  bool low_open = false, high_open = false;
};

struct Cell {
  bool negated = false;
  std::vector<Alternative> alternatives;  // none: anything goes
};

struct Rule {
  std::vector<Cell> cells;  // one a column
  Value output;
};

struct Table {
  std::string policy;                // U A P F R O C C+ C< C> C#
  std::vector<std::string> columns;  // names of facts
  std::vector<Rule> rules;
  std::optional<Value> otherwise;
  std::vector<std::pair<std::string, std::vector<Value>>> priorities;  // entry of the output ("": itself) -> values, most important first
};

struct Answer {
  std::string status;             // decided undetermined no_hit failed
  Value output;                   // of decided
  std::set<std::string> unknown;  // of undetermined: the facts that decide
};

Answer decide(const Table& table, const Facts& facts);

/// Equal, whole numbers and others by value.
bool same(const Value& one, const Value& other);

}  // namespace steelyard::oracle
