// The test rows of a book.
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "rules/test_rows.hpp"

namespace steelyard::rules {

namespace {

constexpr double tolerance = 1e-9;  // relative, for numbers that were computed

bool same(const Value& one, const Value& other) {
  if (one.is_number() && other.is_number()) {
    const double a = one.as_number(), b = other.as_number();
    return a == b || std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
  }
  if (one.is_list() && other.is_list())
    return std::equal(one.as_list().begin(), one.as_list().end(), other.as_list().begin(), other.as_list().end(), same);
  if (!one.is_map() || !other.is_map()) return one == other;
  const auto& entries = one.as_map();
  return entries.size() == other.as_map().size() && std::all_of(entries.begin(), entries.end(), [&](const Value::Entry& entry) {
           const Value* found = other.find(entry.first);
           return found && same(entry.second, *found);
         });
}

class RowTester {
 public:
  explicit RowTester(Session& session) : session_(session) {}

  std::string run(const DecisionData& decision, const TestRow& row) {
    std::string problem;
    if (row.input.is_map()) {
      for (const auto& [name, value] : row.input.as_map()) set(decision, name, value, problem);
    }
    return problem.empty() ? compare(session_.decide(decision.id), row) : problem;
  }

 private:
  // Local inputs first, then facts and decisions; a map that is neither is the beginning of dotted names.
  void set(const DecisionData& decision, const std::string& name, const Value& value, std::string& problem) {
    for (const InputData& input : decision.inputs) {
      if (input.name == name) return session_.set(FactId{input.slot}, value);
    }
    if (session_.set(name, value)) return;
    if (!value.is_map()) {
      std::vector<std::string> known = session_.book().fact_names();
      for (const InputData& input : decision.inputs) known.push_back(input.name);
      const auto near = nearest_words(name, known, 1);
      problem = "unknown input '" + name + "'" + (near.empty() ? "" : "; did you mean " + near[0] + "?");
      return;
    }
    for (const auto& [key, inner] : value.as_map()) set(decision, name + "." + key, inner, problem);
  }

  static std::string compare(const Outcome& outcome, const TestRow& row) {
    const std::string came = std::string(to_string(outcome.status)) + " " + to_json(outcome.output) + why(outcome);
    if (row.status && *row.status != to_string(outcome.status)) return "expected " + *row.status + ", came " + came;
    if (row.output && (!same(*row.output, outcome.output) || (!row.status && !settled(outcome))))
      return "expected " + to_json(*row.output) + ", came " + came;
    const bool hit = row.rule && std::any_of(outcome.hits.begin(), outcome.hits.end(), [&](const Hit& one) { return one.rule == *row.rule; });
    if (row.rule && !hit) return "expected rule " + *row.rule + ", came " + came;
    if (!row.unknown) return {};
    std::vector<std::string> wanted = *row.unknown, found = outcome.unknown;
    std::sort(wanted.begin(), wanted.end());
    std::sort(found.begin(), found.end());
    return wanted == found ? "" : "expected unknown " + join(wanted, ", ") + ", came " + came;
  }

  static bool settled(const Outcome& outcome) { return outcome.status == Status::decided || outcome.status == Status::no_hit; }

  static std::string why(const Outcome& outcome) {
    std::string text;
    for (const Hit& hit : outcome.hits) text += (text.empty() ? " by " : ", ") + hit.rule;
    if (!outcome.unknown.empty()) text += "; unknown: " + join(outcome.unknown, ", ");
    return text + (outcome.error.empty() ? "" : "; " + outcome.error);
  }

  Session& session_;
};

}  // namespace

std::string run_row(Session& session, const DecisionData& decision, const TestRow& row) { return RowTester(session).run(decision, row); }

TestReport run_tests(const Book& book) {
  TestReport report;
  for (const DecisionData& decision : book.data().decisions) {
    for (const TestRow& row : decision.tests) {
      Session session(book);
      const std::string problem = run_row(session, decision, row);
      ++(problem.empty() ? report.passed : report.failed);
      if (!problem.empty())
        report.issues.push_back({Severity::error, row.where, "test of " + decision.id + ": " + problem, "correct the row or the rules", {}});
    }
  }
  return report;
}

}  // namespace steelyard::rules
