// Random decision tables without faults: a space of inputs is cut into boxes again and again, and each box becomes a rule.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "property/rules/random_book.hpp"

namespace steelyard::rules {

/// What a rule asks of one input; nothing set: anything.
struct CellSpec {
  std::optional<int> low, high;  // [low..high)
  bool low_open = false, high_closed = false;
  std::vector<std::string> words;
  std::optional<bool> flag;
  bool bare = false;  // leaves the unit out

  bool any() const { return !low && !high && words.empty() && !flag; }
};

struct RuleSpec {
  std::string id;
  std::vector<CellSpec> cells;
  int output = 0;
};

struct ColumnSpec {
  enum class Kind { number, quantity, word, flag };
  Kind kind = Kind::number;
  std::string fact;
};

inline const std::vector<std::string> all_words{"efa", "ethernet", "infiniband", "none", "roce"};

struct TableSpec {
  std::vector<ColumnSpec> columns;
  std::vector<RuleSpec> rules;
  std::string policy = "unique";
  std::string more_facts, more_inputs, more_decisions;

  std::string text() const {
    std::string text = "answers: [d]\nfacts:\n";
    for (const ColumnSpec& column : columns) text += fact_line(column);
    text += more_facts + "decisions:\n  - id: d\n    hit_policy: " + policy + "\n    inputs: {";
    for (std::size_t at = 0; at < columns.size(); ++at) text += (at ? ", i" : "i") + std::to_string(at) + ": " + columns[at].fact;
    text += more_inputs + "}\n    rules:\n";
    for (const RuleSpec& rule : rules) text += rule_line(rule);
    return text + more_decisions;
  }

 private:
  static std::string fact_line(const ColumnSpec& column) {
    const std::string head = "  - {name: " + column.fact + ", type: ";
    switch (column.kind) {
      case ColumnSpec::Kind::number: return head + "number}\n";
      case ColumnSpec::Kind::quantity: return head + "number, unit: GiB}\n";
      case ColumnSpec::Kind::word: return head + "string, values: [efa, ethernet, infiniband, none, roce]}\n";
      case ColumnSpec::Kind::flag: break;
    }
    return head + "bool}\n";
  }

  std::string rule_line(const RuleSpec& rule) const {
    const bool always = std::all_of(rule.cells.begin(), rule.cells.end(), [](const CellSpec& cell) { return cell.any(); });
    std::string text = "      - {id: " + rule.id + ", when: ";
    if (always) {
      text += "true";
    } else {
      text += "[";
      for (std::size_t at = 0; at < rule.cells.size(); ++at) text += (at ? ", '" : "'") + cell_text(rule.cells[at], columns[at]) + "'";
      text += "]";
    }
    return text + ", then: " + std::to_string(rule.output) + ", because: \"output 1\"}\n";
  }

  static std::string cell_text(const CellSpec& cell, const ColumnSpec& column) {
    const std::string unit = column.kind == ColumnSpec::Kind::quantity && !cell.bare ? " GiB" : "";
    if (cell.any()) return "-";
    if (cell.flag) return *cell.flag ? "true" : "false";
    if (!cell.words.empty()) {
      std::string text;
      for (const std::string& word : cell.words) text += (text.empty() ? "\"" : ", \"") + word + "\"";
      return text;
    }
    if (!cell.high) return (cell.low_open ? "> " : ">= ") + std::to_string(*cell.low) + unit;
    if (!cell.low) return (cell.high_closed ? "<= " : "< ") + std::to_string(*cell.high) + unit;
    return (cell.low_open ? "(" : "[") + std::to_string(*cell.low) + unit + ".." + std::to_string(*cell.high) + unit + (cell.high_closed ? "]" : ")");
  }
};

class RandomTable {
 public:
  explicit RandomTable(std::uint64_t seed) : random_(seed) {}

  TableSpec make() {
    table_ = {};
    table_.policy = random_.pick(std::vector<std::string>{"unique", "first", "any"});
    const int columns = 2 + random_.below(3);
    for (int at = 0; at < columns; ++at) {
      const auto kind = at == 0 ? ColumnSpec::Kind::quantity : static_cast<ColumnSpec::Kind>(random_.below(4));
      table_.columns.push_back({kind, "job.f" + std::to_string(at)});
    }
    RuleSpec everything{"", std::vector<CellSpec>(static_cast<std::size_t>(columns)), 0};
    for (int at = 0; at < columns; ++at) cut_at(everything, at, columns);
    while (table_.rules.size() < static_cast<std::size_t>(4 + random_.below(12))) {
      const int at = random_.below(static_cast<int>(table_.rules.size()));
      const RuleSpec rule = table_.rules[static_cast<std::size_t>(at)];
      table_.rules.erase(table_.rules.begin() + at);
      cut(rule, random_.below(columns));
    }
    for (std::size_t at = 0; at < table_.rules.size(); ++at) {
      table_.rules[at].id = "d.r" + std::to_string(at);
      table_.rules[at].output = static_cast<int>(at) + 1;
    }
    return table_;
  }

  Random& random() { return random_; }

 private:
  // The first cuts go through every column, so that each is used.
  void cut_at(const RuleSpec& everything, int column, int) {
    if (column == 0) return cut(everything, 0);
    const RuleSpec last = table_.rules.back();
    table_.rules.pop_back();
    cut(last, column);
  }

  void cut(const RuleSpec& rule, int column) {
    const auto at = static_cast<std::size_t>(column);
    RuleSpec one = rule, other = rule;
    switch (table_.columns[at].kind) {
      case ColumnSpec::Kind::number:
      case ColumnSpec::Kind::quantity: {
        const int low = rule.cells[at].low.value_or(rule.cells[at].high.value_or(1) - 40), high = rule.cells[at].high.value_or(low + 80);
        if (high - low < 8) return table_.rules.push_back(rule);
        const int middle = low + 4 + random_.below(high - low - 7);
        one.cells[at].high = other.cells[at].low = middle == 0 ? 1 : middle;
        break;
      }
      case ColumnSpec::Kind::word: {
        const std::vector<std::string> words = rule.cells[at].words.empty() ? all_words : rule.cells[at].words;
        if (words.size() < 2) return table_.rules.push_back(rule);
        const auto middle = words.begin() + 1 + random_.below(static_cast<int>(words.size()) - 1);
        one.cells[at].words.assign(words.begin(), middle);
        other.cells[at].words.assign(middle, words.end());
        break;
      }
      case ColumnSpec::Kind::flag:
        if (rule.cells[at].flag) return table_.rules.push_back(rule);
        one.cells[at].flag = true;
        other.cells[at].flag = false;
        break;
    }
    table_.rules.push_back(one);
    table_.rules.push_back(other);
  }

  Random random_;
  TableSpec table_;
};

}  // namespace steelyard::rules
