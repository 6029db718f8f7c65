#include "rules/cover/ends.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::rules {

using analysis::Column;
using analysis::Formula;

Ends::Ends(const analysis::Table& table) : table_(table) {
  for (int rule = 0; rule < table.rule_count(); ++rule) collect(table.rules[static_cast<std::size_t>(rule)].condition, rule);
}

// A single number (`40`, `x == 40`) is no interval.
void Ends::collect(const Formula& formula, int rule) {
  for (const Formula& part : formula.parts) collect(part, rule);
  if (formula.kind != Formula::Kind::atom) return;
  for (const analysis::Span& span : formula.atom.spans) {
    if (span.low == span.high) continue;
    if (std::isfinite(span.low)) add(formula.atom.column, span.low, span.low_open, rule);
    if (std::isfinite(span.high)) add(formula.atom.column, span.high, !span.high_open, rule);
  }
}

void Ends::add(int column, double value, bool above, int rule) {
  const bool known =
      std::any_of(ends_.begin(), ends_.end(), [&](const End& end) { return end.column == column && end.value == value && end.above == above; });
  if (!known) ends_.push_back({column, value, above, rule, false, false});
}

namespace {

std::optional<double> value_of(const Column& column, Session::State& state) {
  if (!column.expr) return std::nullopt;
  const Datum value = evaluate(*column.expr, state);
  if (!value.is_number()) return std::nullopt;
  if (!column.minus) return value.number();
  const Datum other = evaluate(*column.minus, state);
  return other.is_number() ? std::optional(value.number() - other.number()) : std::nullopt;
}

// The next end of the table on that side, which may belong to another rule.
double next_end(const Column& column, double value, bool above) {
  const auto at = column.ends.find(value);
  if (above) return std::next(at) == column.ends.end() ? analysis::infinity : *std::next(at);
  return at == column.ends.begin() ? -analysis::infinity : *std::prev(at);
}

}  // namespace

void Ends::mark(Session::State& state) {
  for (End& end : ends_) {
    const Column& column = table_.columns[static_cast<std::size_t>(end.column)];
    const auto value = value_of(column, state);
    if (!value) continue;
    const double next = next_end(column, end.value, end.above);
    end.at = end.at || *value == end.value;
    end.beside = end.beside || (end.above ? *value > end.value && *value < next : *value<end.value&& * value> next);
  }
}

std::string Ends::missing(const End& end) const {
  const Column& column = table_.columns[static_cast<std::size_t>(end.column)];
  const std::string number = analysis::number_text(column, end.value), side = end.above ? "above" : "below";
  return column.name + ": no row " + (end.at ? "just " + side + " " : end.beside ? "at " : "at or just " + side + " ") + number;
}

}  // namespace steelyard::rules
