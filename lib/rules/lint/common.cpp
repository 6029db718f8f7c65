#include <algorithm>

#include "core/text.hpp"
#include "rules/lint/checks.hpp"
#include "rules/lint/codes.hpp"

namespace steelyard::rules::analysis {

RuleFinding& Findings::add(std::string code, const SourceLocation& where, std::string message, std::string fix) {
  RuleFinding& finding = list.emplace_back();
  finding.where = where;
  finding.severity = severity_of(code).value_or("warning");
  finding.code = std::move(code);
  finding.message = std::move(message);
  finding.fix = std::move(fix);
  return finding;
}

bool equal_rows(const TableRule& one, const TableRule& other) {
  if (one.certain.size() != other.certain.size()) return false;
  return std::is_permutation(one.certain.begin(), one.certain.end(), other.certain.begin());
}

bool touch(const Column& column, const Bits& one, const Bits& other) {
  const Bits both = one & other;
  if (both.count() != 1) return false;
  const int at = both.first();
  if (!column.regions[static_cast<std::size_t>(at)].is_point() || column.closed_numbers) return false;
  const auto beside = [&](const Bits& set, int step) {
    const int next = at + step;
    const bool inside = next >= 0 && next < static_cast<int>(column.regions.size());
    return inside && column.regions[static_cast<std::size_t>(next)].kind == Region::Kind::number && set.test(next);
  };
  return (beside(one, -1) && beside(other, 1)) || (beside(one, 1) && beside(other, -1));
}

std::vector<int> row_of(const Table& table, const Box& box) {
  std::vector<int> row;
  for (std::size_t at = 0; at < box.size(); ++at) {
    const int usual = (box[at] & table.columns[at].usual).first();
    row.push_back(usual >= 0 ? usual : box[at].first());
  }
  return row;
}

std::string row_text(const Table& table, const std::vector<int>& row) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (table.columns[at].free) parts.push_back(table.columns[at].describe(row[at]));
  }
  return parts.empty() ? "anywhere" : join(parts, ", ");
}

Value row_value(const Table& table, const std::vector<int>& row) {
  Value value = Value::map();
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (!table.columns[at].free) continue;
    if (const auto sample = table.columns[at].sample(row[at])) value[table.columns[at].name] = *sample;
  }
  return value;
}

std::string named(const RuleData& rule) { return rule.id + " (" + to_string(rule.where) + ")"; }

bool needs_all(const DecisionData& decision) {
  if (decision.otherwise) return false;
  switch (decision.policy) {
    case HitPolicy::unique:
    case HitPolicy::any:
    case HitPolicy::priority:
    case HitPolicy::first:
    case HitPolicy::collect_min:
    case HitPolicy::collect_max: return true;
    default: return false;
  }
}

}  // namespace steelyard::rules::analysis
