// Two rules for one row where the policy allows one; ends that two rules share or leave out.
#include <algorithm>

#include "rules/lint/checks.hpp"

namespace steelyard::rules::analysis {

namespace {

constexpr std::size_t most_pairs = 50;  // findings of one table

class PairCheck {
 public:
  PairCheck(const Table& table, Findings& findings) : table_(table), findings_(findings), bounds_(usual(table.columns)) {}

  void run(void (PairCheck::*check)(int, int)) {
    for (int one = 0; one < table_.rule_count(); ++one) {
      for (int other = one + 1; other < table_.rule_count(); ++other) {
        (this->*check)(one, other);
        if (found_ == most_pairs) return;
      }
    }
  }

  // UNIQUE: both apply. ANY: both apply, with different outputs.
  void overlap(int one, int other) {
    if (equal_rows(rows(one), rows(other))) return;
    const auto same = same_output(table_.rule(one).then, table_.rule(other).then);
    if (table_.decision->policy == HitPolicy::any && same != std::optional(false)) return;
    for (const Box& left : rows(one).proven) {
      for (const Box& right : rows(other).proven) {
        const auto both = meet(left, right) ? common(*common(left, right), bounds_) : std::nullopt;
        if (both) return report_overlap(one, other, left, right, *both);
      }
    }
  }

  // Rules that differ in one column, where they share or leave out the number at which they meet.
  void ends(int one, int other) {
    if (same_output(table_.rule(one).then, table_.rule(other).then) == std::optional(true)) return;
    for (const Box& left : rows(one).proven) {
      for (const Box& right : rows(other).proven) {
        const int column = only_difference(left, right);
        if (column < 0) continue;
        const auto at = static_cast<std::size_t>(column);
        if (touch(table_.columns[at], left[at], right[at])) return report_shared(one, other, at, *common(left, right));
        if (const int end = left_out(at, left[at], right[at]); end >= 0 && report_left_out(one, other, at, left, end)) return;
      }
    }
  }

 private:
  const TableRule& rows(int number) const { return table_.rules[static_cast<std::size_t>(number)]; }

  static int only_difference(const Box& left, const Box& right) {
    int found = -1;
    for (std::size_t at = 0; at < left.size(); ++at) {
      if (left[at] == right[at]) continue;
      if (found >= 0) return -1;
      found = static_cast<int>(at);
    }
    return found;
  }

  void report_overlap(int one, int other, const Box& left, const Box& right, const Box& both) {
    for (std::size_t at = 0; at < both.size(); ++at) {
      if (touch(table_.columns[at], left[at], right[at])) return report_shared(one, other, at, both);
    }
    const bool unique = table_.decision->policy == HitPolicy::unique;
    add("overlap", one, other, both,
        "rules " + named(table_.rule(one)) + " and " + table_.rule(other).id + " both apply" + (unique ? "" : ", with different outputs,") +
            " where " + row_text(table_, row_of(table_, both)),
        "narrow one of them, or let the table be `first`");
  }

  void report_shared(int one, int other, std::size_t column, const Box& both) {
    const Column& at = table_.columns[column];
    const std::string end = number_text(at, at.regions[static_cast<std::size_t>(both[column].first())].low);
    add("off_by_one", one, other, both, "rules " + named(table_.rule(one)) + " and " + table_.rule(other).id + " both hold " + at.name + " = " + end,
        "write < or > in one of them, or `(` instead of `[`");
  }

  // The number between two rules that neither holds; -1 where there is none.
  int left_out(std::size_t column, const Bits& one, const Bits& other) const {
    const Column& at = table_.columns[column];
    if (at.closed_numbers || one.meets(other)) return -1;
    for (int region = 1; region + 1 < static_cast<int>(at.regions.size()); ++region) {
      const auto is_number = [&](int number) { return at.regions[static_cast<std::size_t>(number)].kind == Region::Kind::number; };
      if (!at.regions[static_cast<std::size_t>(region)].is_point() || !is_number(region - 1) || !is_number(region + 1)) continue;
      const bool between = (one.test(region - 1) && other.test(region + 1)) || (other.test(region - 1) && one.test(region + 1));
      if (between && !one.test(region) && !other.test(region)) return region;
    }
    return -1;
  }

  bool report_left_out(int one, int other, std::size_t column, const Box& left, int end) {
    Box point = left;
    point[column] = Bits(static_cast<int>(table_.columns[column].regions.size()));
    point[column].set(end);
    const bool silent = !needs_all(*table_.decision) && !table_.decision->otherwise;  // a gap is found elsewhere, a default is an answer
    const bool held = std::any_of(table_.rules.begin(), table_.rules.end(), [&](const TableRule& rule) {
      return std::any_of(rule.possible.begin(), rule.possible.end(), [&](const Box& box) { return meet(box, point); });
    });
    if (!silent || held) return false;
    const Column& at = table_.columns[column];
    add("off_by_one", one, other, point,
        "rules " + named(table_.rule(one)) + " and " + table_.rule(other).id + " leave out " + at.name + " = " +
            number_text(at, at.regions[static_cast<std::size_t>(end)].low),
        "write <= or >= in one of them, or `[` instead of `(`");
    return true;
  }

  void add(const char* code, int one, int other, const Box& box, std::string message, std::string fix) {
    ++found_;
    RuleFinding& finding = findings_.add(code, table_.rule(other).where, std::move(message), std::move(fix));
    finding.rules = {table_.rule(one).id, table_.rule(other).id};
    finding.witness = row_value(table_, row_of(table_, box));
  }

  const Table& table_;
  Findings& findings_;
  Box bounds_;
  std::size_t found_ = 0;
};

}  // namespace

void check_overlaps(const Table& table, Findings& findings) {
  const HitPolicy policy = table.decision->policy;
  if (policy == HitPolicy::unique || policy == HitPolicy::any) PairCheck(table, findings).run(&PairCheck::overlap);
}

void check_ends(const Table& table, Findings& findings) {
  const HitPolicy policy = table.decision->policy;
  if (policy != HitPolicy::unique && policy != HitPolicy::any && policy != HitPolicy::expression) PairCheck(table, findings).run(&PairCheck::ends);
}

}  // namespace steelyard::rules::analysis
