#include "rules/cover/cover.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "rules/cover/ends.hpp"
#include "rules/test_rows.hpp"

namespace steelyard::rules {

namespace {

// One outcome of a table: an output, whichever rules give it.
struct Given {
  SourceLocation where;
  std::string text;
  bool covered = false;
};

class DecisionCover {
 public:
  DecisionCover(const Book& book, const DecisionData& decision, CoverReport& report)
      : book_(book),
        decision_(decision),
        report_(report),
        table_(analysis::make_table(book.data(), decision)),
        ends_(table_),
        reached_(decision.rules.size(), false) {
    for (const RuleData& rule : decision.rules) outcomes_.try_emplace(key(rule.then, rule.id), Given{rule.then.where, text(rule.then), false});
    if (decision.otherwise)
      outcomes_.try_emplace(key(*decision.otherwise, "default"), Given{decision.otherwise->where, text(*decision.otherwise) + " by default", false});
  }

  void run() {
    for (const TestRow& row : decision_.tests) {
      Session session(book_);
      if (!run_row(session, decision_, row).empty()) {
        ++report_.failed_rows;
      } else {
        mark(session.state());
      }
    }
    count();
  }

 private:
  // Computed outputs are outcomes of their own.
  static std::string key(const OutputData& output, const std::string& owner) {
    return output.whole.op == Op::literal ? to_json(output.constant) : "computed by " + owner;
  }
  static std::string text(const OutputData& output) { return output.whole.op == Op::literal ? to_json(output.constant) : "the computed output"; }

  void mark(Session::State& state) {
    ends_.mark(state);
    const Result& result = state.results[static_cast<std::size_t>(decision_.slot - book_.data().first_decision())];
    if (result.status == Status::failed) return;
    for (const int rule : result.yes) {
      const RuleData& data = decision_.rules[static_cast<std::size_t>(rule)];
      reached_[static_cast<std::size_t>(rule)] = true;
      if (result.status == Status::decided) outcomes_.at(key(data.then, data.id)).covered = true;
    }
    if (result.yes.empty() && decision_.otherwise && result.status == Status::decided)
      outcomes_.at(key(*decision_.otherwise, "default")).covered = true;
  }

  void miss(const char* kind, const SourceLocation& where, const std::string& rule, std::string message) {
    report_.uncovered.push_back({where, kind, decision_.id, rule, std::move(message)});
  }

  void count() {
    const bool expression = decision_.policy == HitPolicy::expression;
    for (std::size_t at = 0; at < reached_.size(); ++at) {
      report_.rules.count(reached_[at]);
      const RuleData& rule = decision_.rules[at];
      if (!reached_[at]) miss("rule", rule.where, rule.id, (expression ? "decision " : "rule ") + rule.id + " is in no test row that holds");
    }
    for (const auto& [name, outcome] : outcomes_) {
      report_.outcomes.count(outcome.covered);
      if (!outcome.covered) miss("outcome", outcome.where, {}, "decision " + decision_.id + ": no test row gives " + outcome.text);
    }
    for (const End& end : ends_.all()) {
      report_.ends.count(end.covered());
      const RuleData& rule = table_.rule(end.rule);
      if (!end.covered()) miss("end", rule.where, rule.id, "rule " + rule.id + ": " + ends_.missing(end));
    }
  }

  const Book& book_;
  const DecisionData& decision_;
  CoverReport& report_;
  analysis::Table table_;
  Ends ends_;
  std::vector<bool> reached_;
  std::map<std::string, Given> outcomes_;
};

}  // namespace

CoverReport cover(const Book& book) {
  CoverReport report;
  for (const DecisionData& decision : book.data().decisions) DecisionCover(book, decision, report).run();
  std::stable_sort(report.uncovered.begin(), report.uncovered.end(), [](const Uncovered& one, const Uncovered& other) {
    return std::tie(one.where.file, one.where.line, one.where.column) < std::tie(other.where.file, other.where.line, other.where.column);
  });
  return report;
}

}  // namespace steelyard::rules
