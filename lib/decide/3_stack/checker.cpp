#include "decide/3_stack/checker.hpp"

#include <algorithm>
#include <map>

#include "core/text.hpp"

namespace steelyard::stack {

namespace {

std::string text_of(const Value& map, std::string_view key, const std::string& otherwise = {}) {
  const Value* value = map.find(key);
  return value && value->is_string() ? value->as_string() : otherwise;
}

double number_of(const Value& map, std::string_view key, double otherwise) {
  const Value* value = map.find(key);
  return value && value->is_number() ? value->as_number() : otherwise;
}

// "stack.driver.low 515.065, stack.cuda.floor 525.060013": what the rule looked at, without long texts.
std::string evidence_of(const Value& inputs) {
  constexpr std::size_t longest = 80;
  std::string words;
  if (!inputs.is_map()) return words;
  for (const auto& [name, value] : inputs.as_map()) {
    std::string text = to_json(value);
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    words += (words.empty() ? "" : ", ") + name + " " + text;
  }
  return words;
}

// Codes by how sure all their findings together are: 1 - product(1 - score).
std::vector<std::string> ranked_codes(const std::vector<StackFinding>& findings) {
  std::vector<std::pair<std::string, double>> doubts;
  for (const StackFinding& finding : findings) {
    if (finding.severity == "note") continue;
    auto known = std::find_if(doubts.begin(), doubts.end(), [&](const auto& one) { return one.first == finding.code; });
    if (known == doubts.end()) known = doubts.insert(doubts.end(), {finding.code, 1.0});
    known->second *= 1 - finding.score;
  }
  std::stable_sort(doubts.begin(), doubts.end(), [](const auto& one, const auto& other) { return one.second < other.second; });
  std::vector<std::string> codes;
  for (const auto& [code, doubt] : doubts) codes.push_back(code);
  return codes;
}

void sort_findings(std::vector<StackFinding>& findings, const std::vector<std::string>& codes) {
  const auto place = [&](const StackFinding& finding) { return std::find(codes.begin(), codes.end(), finding.code) - codes.begin(); };
  std::stable_sort(findings.begin(), findings.end(), [&](const StackFinding& one, const StackFinding& other) {
    return std::pair(place(one), -one.score) < std::pair(place(other), -other.score);
  });
}

// Findings that another build or driver could cure; the rest has remedies of its own.
bool any_blocks_to_search(const std::vector<Found>& found) {
  return std::any_of(found.begin(), found.end(), [](const Found& one) { return one.finding.severity == "blocks" && !one.cured_by_table; });
}

bool any_blocks(const std::vector<Found>& found) {
  return std::any_of(found.begin(), found.end(), [](const Found& one) { return one.finding.severity == "blocks"; });
}

void add_fixes(std::vector<StackFix>& fixes, std::vector<StackFix> more) {
  for (StackFix& fix : more) {
    const bool known = std::any_of(fixes.begin(), fixes.end(), [&](const StackFix& one) { return one.change == fix.change; });
    if (!known) fixes.push_back(std::move(fix));
  }
}

}  // namespace

void Checker::add_hits(const std::string& table, bool from_text, std::vector<Found>& found) {
  const rules::Outcome& outcome = session_.decide(table);
  for (const rules::Hit& hit : outcome.hits) {
    const std::string code = text_of(hit.output, "code");
    if (code.empty()) continue;
    const std::string severity = text_of(hit.output, "severity", "blocks");
    found.push_back({{code, severity, hit.because, hit.rule, evidence_of(hit.inputs), number_of(hit.output, "score", 0), hit.where},
                     from_text || text_of(hit.output, "cure") == "table"});
  }
}

// The book lists the tables of a kind itself, so that a company's book may add to them.
std::vector<std::string> Checker::tables_of(std::string_view list) {
  std::vector<std::string> tables;
  const auto id = session_.book().decision(list);
  const Value names = id ? session_.output(*id) : Value();
  if (!names.is_list()) return tables;
  for (const Value& name : names.as_list()) {
    if (name.is_string() && session_.book().decision(name.as_string())) tables.push_back(name.as_string());
  }
  return tables;
}

void Checker::run_tables(std::string_view list, std::vector<Found>& found) {
  for (const std::string& table : tables_of(list)) add_hits(table, list != "stack_tables.checks", found);
}

std::vector<Found> Checker::structural(const Subject& subject) {
  session_.reset(facts_of(subject));
  std::vector<Found> found;
  run_tables("stack_tables.checks", found);
  return found;
}

bool Checker::table_blocks(const std::string& table) {
  const auto id = *session_.book().decision(table);
  if (session_.status(id) == rules::Status::undetermined) {
    std::vector<Found> found;
    add_hits(table, false, found);
    return any_blocks_to_search(found);
  }
  const Value outputs = session_.output(id);
  if (!outputs.is_list()) return false;
  return std::any_of(outputs.as_list().begin(), outputs.as_list().end(),
                     [](const Value& output) { return text_of(output, "severity", "blocks") == "blocks" && text_of(output, "cure") != "table"; });
}

bool Checker::runs(const StackRequest& request) {
  session_.reset(facts_of(subject_of(request)));
  const std::vector<std::string> tables = tables_of("stack_tables.checks");
  return std::none_of(tables.begin(), tables.end(), [&](const std::string& table) { return table_blocks(table); });
}

void Checker::count(const std::vector<Found>& found) {
  const auto of = [&](const std::string& severity) {
    return static_cast<double>(std::count_if(found.begin(), found.end(), [&](const Found& one) { return one.finding.severity == severity; }));
  };
  session_.set("stack.result.blocks", of("blocks"));
  session_.set("stack.result.limits", of("limits"));
}

std::vector<StackFix> Checker::table_fixes(const std::vector<Found>& found) {
  std::vector<StackFix> fixes;
  std::vector<std::string> done;
  for (const Found& one : found) {
    if (!one.cured_by_table || one.finding.severity == "note") continue;
    if (std::find(done.begin(), done.end(), one.finding.code) != done.end()) continue;
    done.push_back(one.finding.code);
    session_.set("stack.code", one.finding.code);
    for (const rules::Hit& hit : session_.decide("stack.remedy").hits) {
      const Value* touches = hit.output.find("touches_driver");
      fixes.push_back(
          {text_of(hit.output, "change"), touches && touches->is_bool() && touches->as_bool(), text_of(hit.output, "command"), false, {}});
    }
  }
  return fixes;
}

void Checker::ask(const Subject& subject, StackReport& report) {
  for (const rules::Hit& hit : session_.decide("stack_tables.questions").hits) {
    Question question{text_of(hit.output, "ask"), text_of(hit.output, "field"), {}};
    if (question.field == "gpu") question.decides = subject.board.candidates.empty() ? subject.board.nearest : subject.board.candidates;
    report.questions.push_back(std::move(question));
  }
}

std::string Checker::decide_verdict(const StackReport& report) {
  session_.set("stack.result.open", static_cast<double>(report.questions.size()));
  session_.set("stack.result.fixes", static_cast<double>(report.fixes.size()));
  const Value verdict = session_.decide("stack.answer").output;
  return verdict.is_string() ? verdict.as_string() : "unknown";
}

std::string Checker::verdict_of(const StackRequest& request) {
  const Subject subject = subject_of(request);
  const std::vector<Found> found = structural(subject);
  count(found);
  StackReport report;
  ask(subject, report);
  return decide_verdict(report);
}

StackReport Checker::check(const StackRequest& request) {
  const Subject subject = subject_of(request);
  StackReport report;
  std::vector<Found> found = structural(subject);
  const bool to_search = any_blocks_to_search(found);
  const std::size_t checked = found.size();
  if (!subject.symptom.empty()) run_tables("stack_tables.texts", found);
  // A complaint in words that no table knows still has a subject, which is better than no answer.
  const bool hinted = !subject.symptom.empty() && found.size() == checked && !any_blocks(found);
  if (hinted) run_tables("stack_tables.hints", found);
  session_.set("stack.result.hinted", found.size() > checked && hinted);
  count(found);
  for (const Found& one : found) report.findings.push_back(one.finding);
  report.codes = ranked_codes(report.findings);
  sort_findings(report.findings, report.codes);
  std::stable_sort(found.begin(), found.end(), [&](const Found& one, const Found& other) {
    const auto place = [&](const Found& which) { return std::find(report.codes.begin(), report.codes.end(), which.finding.code); };
    return place(one) < place(other);
  });
  report.fixes = table_fixes(found);
  ask(subject, report);
  // The search runs the rules on other stacks, and so comes last before the verdict, with the counts set again.
  if (to_search) {
    std::vector<StackFix> fixes = search_fixes(*this, subject);
    add_fixes(fixes, std::move(report.fixes));
    report.fixes = std::move(fixes);
    session_.reset(facts_of(subject));
    count(found);
  }
  std::stable_sort(report.fixes.begin(), report.fixes.end(), [](const StackFix& one, const StackFix& other) {
    return std::pair(!one.verified, one.touches_driver) < std::pair(!other.verified, other.touches_driver);
  });
  report.verdict = decide_verdict(report);
  return report;
}

}  // namespace steelyard::stack
