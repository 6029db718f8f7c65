// Rows to which no rule applies, in tables that then have no answer.
#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "rules/lint/checks.hpp"

namespace steelyard::rules::analysis {

namespace {

constexpr int most_gaps = 3;  // of one table

class GapCheck {
 public:
  GapCheck(const Table& table, Findings& findings) : table_(table), findings_(findings), search_(table.columns), bounds_(usual(table.columns)) {
    for (int number = 0; number < table.rule_count(); ++number) {
      for (const Box& box : table.rules[static_cast<std::size_t>(number)].possible) {
        search_.add(box);
        owners_.push_back(number);
      }
    }
  }

  void run() {
    for (int found = 0; found < most_gaps; ++found) {
      const Coverage coverage = search_.covered(bounds_, search_.all());
      if (coverage.state == Coverage::State::too_hard) findings_.given_up.push_back(table_.decision->id);
      if (coverage.state != Coverage::State::open) return;
      const Box gap = search_.grown(coverage.row, bounds_);
      if (!report_point(gap)) report(gap);
      search_.add(gap);
      owners_.push_back(-1);
    }
  }

 private:
  std::set<int> rules_at(Box box, std::size_t column, const Bits& set) const {
    box[column] = set;
    std::set<int> rules;
    search_.meeting(box).each([&](int at) {
      if (owners_[static_cast<std::size_t>(at)] >= 0) rules.insert(owners_[static_cast<std::size_t>(at)]);
    });
    return rules;
  }

  Bits single(std::size_t column, int region) const {
    Bits set(static_cast<int>(table_.columns[column].regions.size()));
    if (region >= 0 && region < static_cast<int>(table_.columns[column].regions.size())) set.set(region);
    return set;
  }

  // Two rules end at the same number, and neither holds it.
  bool report_point(const Box& gap) {
    for (std::size_t column = 0; column < gap.size(); ++column) {
      const int at = gap[column].first();
      const Column& one = table_.columns[column];
      if (gap[column].count() != 1 || !one.regions[static_cast<std::size_t>(at)].is_point() || one.closed_numbers) continue;
      const std::set<int> below = rules_at(gap, column, single(column, at - 1)), above = rules_at(gap, column, single(column, at + 1));
      const auto apart = [](const std::set<int>& these, const std::set<int>& those) {
        return std::find_if(these.begin(), these.end(), [&](int rule) { return those.count(rule) == 0; });
      };
      const auto low = apart(below, above), high = apart(above, below);
      if (low == below.end() || high == above.end()) continue;
      report_end(gap, column, *low, *high);
      return true;
    }
    return false;
  }

  void report_end(const Box& gap, std::size_t column, int low, int high) {
    const Column& one = table_.columns[column];
    const std::string end = number_text(one, one.regions[static_cast<std::size_t>(gap[column].first())].low);
    RuleFinding& finding = findings_.add("off_by_one", table_.rule(high).where,
                                         "rules " + named(table_.rule(low)) + " and " + table_.rule(high).id + " leave out " + one.name + " = " + end,
                                         "write <= or >= in one of them, or `[` instead of `(`");
    finish(finding, gap, {table_.rule(low).id, table_.rule(high).id});
  }

  void report(const Box& gap) {
    std::set<int> neighbours;
    std::vector<std::string> open;
    for (std::size_t column = 0; column < gap.size(); ++column) {
      if (gap[column] == bounds_[column]) continue;
      open.push_back(table_.columns[column].describe(gap[column]));
      neighbours.merge(rules_at(gap, column, bounds_[column] - gap[column]));
    }
    const std::string rest = open.empty() ? "" : "; open: " + join(open, ", ");
    RuleFinding& finding = findings_.add(
        "gap", table_.decision->where, "decision " + table_.decision->id + ": no rule applies where " + row_text(table_, row_of(table_, gap)) + rest,
        "add a rule for it, move an end, or add a `default`");
    std::vector<std::string> ids;
    for (const int rule : neighbours) ids.push_back(table_.rule(rule).id);
    finish(finding, gap, std::move(ids));
  }

  void finish(RuleFinding& finding, const Box& gap, std::vector<std::string> ids) {
    finding.rules = std::move(ids);
    finding.witness = row_value(table_, row_of(table_, gap));
  }

  const Table& table_;
  Findings& findings_;
  CoverSearch search_;
  Box bounds_;
  std::vector<int> owners_;  // box -> rule
};

}  // namespace

void check_gaps(const Table& table, Findings& findings) {
  if (needs_all(*table.decision)) GapCheck(table, findings).run();
}

}  // namespace steelyard::rules::analysis
