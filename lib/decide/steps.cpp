#include "decide/steps.hpp"

#include <algorithm>

#include "decide/questions.hpp"

namespace steelyard::decide {

namespace {

std::optional<double> number_at(const Value& output, const char* key) {
  const Value* found = output.find(key);
  return found && found->is_number() ? std::optional(found->as_number()) : std::nullopt;
}

std::string text_at(const Value& output, const char* key) {
  const Value* found = output.find(key);
  return found && found->is_string() ? found->as_string() : std::string();
}

Reason reason_of(const rules::Hit& hit) {
  return {text_at(hit.output, "code"), hit.because, hit.rule, number_at(hit.output, "needed"), number_at(hit.output, "actual"),
          text_at(hit.output, "unit")};
}

void add_verdict(const rules::Outcome& outcome, Language language, Estimate& estimate) {
  bool rejects = false;
  for (const rules::Hit& hit : outcome.hits) {
    if (text_at(hit.output, "verdict") != "reject") continue;
    estimate.reasons.push_back(reason_of(hit));
    rejects = true;
  }
  if (rejects || outcome.status == rules::Status::decided || outcome.status == rules::Status::no_hit) return;
  for (const std::string& fact : outcome.unknown) ask(estimate, fact, outcome.decision, language);
  if (outcome.status == rules::Status::failed) {
    estimate.questions.push_back({outcome.error, outcome.decision, {outcome.decision}});
  }
}

void add_warnings(const rules::Outcome& outcome, Estimate& estimate) {
  for (const rules::Hit& hit : outcome.hits) {
    if (const std::string code = text_at(hit.output, "code"); !code.empty()) estimate.warnings.push_back({code, hit.because, hit.rule, {}, {}, {}});
  }
}

void add_trace(const rules::Outcome& outcome, const char* step, Estimate& estimate) {
  for (const rules::Hit& hit : outcome.hits) {
    estimate.trace.push_back({step, outcome.decision, hit.rule, hit.inputs, hit.output, hit.because, hit.where});
  }
  for (const rules::NearMiss& miss : outcome.near) {
    if (text_at(miss.output, "verdict") != "accept") continue;
    Value failed = Value::list();
    for (const rules::FailedCell& cell : miss.failed) {
      Value entry;
      entry["cell"] = cell.cell;
      entry["input"] = cell.input;
      entry["actual"] = cell.actual;
      if (cell.gap) entry["gap"] = *cell.gap;
      failed.push_back(std::move(entry));
    }
    estimate.near.push_back({miss.rule, std::move(failed)});
  }
}

bool belongs_to(const std::string& decision, const std::string& step) { return decision.compare(0, step.size() + 1, step + ".") == 0; }

}  // namespace

bool certainly_clean(rules::Session& session, rules::DecisionId verdict) {
  const rules::Status status = session.status(verdict);
  const std::vector<int>& hits = session.hits(verdict);
  // Without a hit a decided table gives its default, whatever that says.
  if (status == rules::Status::no_hit) return true;
  if (status != rules::Status::decided || hits.empty()) return false;
  return std::all_of(hits.begin(), hits.end(), [&](int rule) {
    const auto word = session.book().fixed_text(verdict, rule, "verdict");
    return word && *word != "reject";
  });
}

void run_warnings(rules::Session& session, const char* step, Estimate& estimate) {
  if (const auto warnings = session.book().decision(std::string(step) + ".warnings")) add_warnings(session.decide_briefly(*warnings), estimate);
}

void run_step(rules::Session& session, const char* step, Detail detail, Estimate& estimate) {
  const std::string name = step;
  const rules::Book& book = session.book();
  const auto verdict = book.decision(name + ".verdict");
  const bool clean = verdict && detail == Detail::bulk && certainly_clean(session, *verdict);
  if (verdict && !clean) add_verdict(session.decide_briefly(*verdict), book.language(), estimate);
  if (detail == Detail::bulk) return;
  run_warnings(session, step, estimate);
  if (detail != Detail::trace) return;
  // Nothing of a stack is stated: its tables have nothing to look at, and their answers would be empty words.
  const bool unchecked = name == "stack" && !estimate.software;
  for (const std::string& decision : book.decision_names()) {
    if (unchecked && decision != "stack.verdict") continue;
    if (belongs_to(decision, name)) add_trace(session.decide(decision), step, estimate);
  }
}

void conclude(Estimate& estimate, Language language) {
  ask_what_can_be_answered(estimate, language);
  if (!estimate.reasons.empty()) {
    estimate.verdict = "reject";
  } else {
    estimate.verdict = estimate.questions.empty() ? "accept" : "unknown";
  }
}

}  // namespace steelyard::decide
