// Random books and rows for property tests; the same seed gives the same book on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules/rules.hpp"

namespace steelyard::rules {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  /// 0 to count - 1 (splitmix64).
  int below(int count) {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return static_cast<int>((mixed ^ (mixed >> 31)) % static_cast<std::uint64_t>(count));
  }
  bool chance(int percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
  }

 private:
  std::uint64_t state_;
};

class RandomBook {
 public:
  explicit RandomBook(std::uint64_t seed) : random_(seed) {
    for (int at = 0; at < 4; ++at) numbers_.push_back("n" + std::to_string(at));
    for (int at = 0; at < 2; ++at) texts_.push_back("t" + std::to_string(at));
    flags_.push_back("b0");
  }

  Value make(int decisions) {
    Value facts = Value::list(), list = Value::list();
    for (const std::string& name : numbers_) facts.push_back(Value::Map{{"name", name}, {"type", "number"}});
    for (const std::string& name : texts_) facts.push_back(Value::Map{{"name", name}, {"type", "string"}});
    for (const std::string& name : flags_) facts.push_back(Value::Map{{"name", name}, {"type", "bool"}});
    for (int at = 0; at < decisions; ++at) list.push_back(decision("d" + std::to_string(at)));
    return Value::Map{{"facts", facts}, {"decisions", list}};
  }

  Random& random() { return random_; }
  static std::vector<std::string> words() { return {"a", "b", "c"}; }

  /// A value of a fact: empty is unknown, null does not apply.
  std::optional<Value> fact_value(const std::string& name) {
    if (random_.chance(12)) return std::nullopt;
    if (random_.chance(4)) return Value();
    if (name[0] == 'n') return random_.chance(80) ? Value(random_.below(7)) : Value(0.5 * random_.below(14));
    if (name[0] == 't') return Value(random_.pick(words()));
    return Value(random_.chance(50));
  }

 private:
  std::string literal() { return std::to_string(random_.below(7)) + (random_.chance(20) ? ".5" : ""); }

  std::string number(int depth) {
    if (depth == 0 || random_.chance(25)) return random_.chance(40) ? literal() : random_.pick(numbers_);
    switch (random_.below(8)) {
      case 0: return "(" + number(depth - 1) + " + " + number(depth - 1) + ")";
      case 1: return "(" + number(depth - 1) + " - " + number(depth - 1) + ")";
      case 2: return "(" + number(depth - 1) + " * " + number(depth - 1) + ")";
      case 3: return "(" + number(depth - 1) + " / " + random_.pick(numbers_) + ")";
      case 4: return "-" + random_.pick(numbers_);
      case 5: return "(" + flag(depth - 1) + " ? " + number(depth - 1) + " : " + number(depth - 1) + ")";
      case 6: return "math.least(" + number(depth - 1) + ", " + number(depth - 1) + ")";
      default: return "math.greatest(" + number(depth - 1) + ", " + number(depth - 1) + ")";
    }
  }

  std::string flag(int depth) {
    const std::vector<std::string> orders{"<", "<=", ">", ">=", "==", "!="};
    if (depth == 0 || random_.chance(30)) {
      switch (random_.below(5)) {
        case 0: return random_.pick(flags_);
        case 1: return random_.pick(texts_) + (random_.chance(50) ? " == \"" : " != \"") + random_.pick(words()) + "\"";
        case 2: return random_.pick(texts_) + " in [\"" + random_.pick(words()) + "\", \"" + random_.pick(words()) + "\"]";
        case 3: return "has(" + random_.pick(random_.chance(50) ? numbers_ : texts_) + ")";
        default: return random_.pick(numbers_) + " " + random_.pick(orders) + " " + literal();
      }
    }
    switch (random_.below(4)) {
      case 0: return "(" + flag(depth - 1) + " && " + flag(depth - 1) + ")";
      case 1: return "(" + flag(depth - 1) + " || " + flag(depth - 1) + ")";
      case 2: return "!(" + flag(depth - 1) + ")";
      default: return "(" + number(depth - 1) + " " + random_.pick(orders) + " " + number(depth - 1) + ")";
    }
  }

  std::string number_cell() {
    const int low = random_.below(6), high = low + 1 + random_.below(3);
    switch (random_.below(7)) {
      case 0: return "< " + literal();
      case 1: return ">= " + literal();
      case 2: return "[" + std::to_string(low) + ".." + std::to_string(high) + ")";
      case 3: return "(" + std::to_string(low) + ".." + std::to_string(high) + "]";
      case 4: return literal() + ", " + literal();
      case 5: return "not(" + literal() + ")";
      default: return "> " + random_.pick(numbers_);
    }
  }

  std::string cell(const std::string& name) {
    if (random_.chance(35)) return "-";
    if (name[0] == 't') return random_.chance(70) ? "\"" + random_.pick(words()) + "\"" : "not(\"" + random_.pick(words()) + "\")";
    if (name[0] == 'b') return random_.chance(50) ? "true" : "false";
    return number_cell();
  }

  Value decision(const std::string& id) {
    if (random_.chance(40)) {
      const bool is_flag = random_.chance(50);
      Value value = Value::Map{{"id", id}, {"value", is_flag ? flag(2) : number(2)}, {"because", "1"}};
      (is_flag ? flags_ : numbers_).push_back(id);
      return value;
    }
    return table(id);
  }

  Value table(const std::string& id) {
    const std::vector<std::string> policies{"first",         "first",      "first",    "first",       "first",       "unique",
                                            "unique",        "any",        "collect",  "collect_sum", "collect_min", "collect_max",
                                            "collect_count", "rule_order", "priority", "output_order"};
    const std::string policy = random_.pick(policies);
    std::vector<std::string> all = numbers_;
    all.insert(all.end(), texts_.begin(), texts_.end());
    all.insert(all.end(), flags_.begin(), flags_.end());
    Value inputs = Value::map(), names = Value::list();
    const int columns = 1 + random_.below(4);
    for (int at = 0; at < columns; ++at) {
      const std::string name = random_.pick(all);
      inputs["i" + std::to_string(at)] = name;
      names.push_back(name);
    }
    const bool aggregate = policy.starts_with("collect_");
    const int kind = aggregate ? 0 : random_.below(4);  // numbers, texts, number expressions, maps
    Value rules = Value::list();
    const int count = 1 + random_.below(8);
    for (int at = 0; at < count; ++at) {
      Value rule = Value::Map{{"id", id + "." + std::to_string(at)}, {"because", "1"}};
      if (random_.chance(30)) {
        rule["when"] = flag(2);
      } else {
        Value cells = Value::list();
        for (const Value& name : names.as_list()) cells.push_back(cell(name.as_string()));
        rule["when"] = cells;
      }
      rule["then"] = output(kind);
      rules.push_back(rule);
    }
    Value result = Value::Map{{"id", id}, {"hit_policy", policy}, {"inputs", inputs}, {"rules", rules}};
    if (policy == "priority" || policy == "output_order") result["priorities"] = Value::List{"b", "a", 2, 1};
    if (random_.chance(50)) result["default"] = output(kind);
    const bool single = policy == "first" || policy == "unique" || policy == "any" || policy == "priority";
    if (aggregate || (single && kind == 0)) numbers_.push_back(id);
    if (single && kind == 1) texts_.push_back(id);
    return result;
  }

  Value output(int kind) {
    if (kind == 0) return random_.below(3);
    if (kind == 1) return random_.pick(words());
    if (kind == 2) return "= " + number(1);
    return Value::Map{{"x", random_.below(3)}, {"y", random_.pick(words())}};
  }

  Random random_;
  std::vector<std::string> numbers_, texts_, flags_;
};

inline Loaded<Book> book_of(const Value& value) { return load_book("random", {load::Document{"random.yaml", {}, load::from_value(value)}}); }

}  // namespace steelyard::rules
