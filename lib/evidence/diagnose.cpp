// Symptoms to causes: the rules look at the text and at how its records were judged; texts of the causes are data.
#include <algorithm>
#include <map>
#include <steelyard/stack.hpp>

#include "evidence/books.hpp"
#include "evidence/judge.hpp"
#include "evidence/read/paste.hpp"
#include "evidence/redact.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard {

namespace {

struct CauseText {
  std::string cause, check, remedy;
};

std::map<std::string, CauseText> load_causes() {
  const load::Document document = load::embedded_document("data/evidence/causes.yaml");
  Issues issues;
  std::map<std::string, CauseText> causes;
  load::Fields fields(document, document.root, issues, "causes");
  fields.node("source");
  if (const load::Node* list = fields.node("causes")) {
    load::each_map(document, *list, issues, "cause", [&](load::Fields& entry) {
      CauseText text{entry.required_text("cause"), entry.required_text("check"), entry.required_text("remedy")};
      causes[entry.required_text("id")] = std::move(text);
      entry.finish();
    });
  }
  fields.finish();
  if (has_errors(issues)) throw LoadError(std::move(issues));
  return causes;
}

/// Launcher prefixes hide the beginnings of lines that patterns look for.
std::string clean_text(std::string_view text) {
  std::string joined;
  for (const evidence::Line& line : evidence::clean(text).lines) joined += line.text + "\n";
  return joined;
}

Value judged_rules(std::string_view text, const rules::Book& book) {
  Value ids = Value::list();
  const bool pcie_card = evidence::names_pcie_card(text);
  for (const ToolRecord& record : read_tool_output(text)) {
    if (const auto judgement = evidence::judge_record(record, pcie_card, book)) ids.push_back(judgement->rule);
  }
  return ids;
}

/// Of several hints at one cause the best counts.
void add(Cause cause, std::vector<Cause>& causes) {
  static const std::map<std::string, CauseText> texts = load_causes();
  const auto known = std::find_if(causes.begin(), causes.end(), [&](const Cause& other) { return other.id == cause.id; });
  if (known != causes.end() && known->score >= cause.score) return;
  if (const auto text = texts.find(cause.id); text != texts.end()) {
    cause.cause = text->second.cause;
    cause.check = text->second.check;
    cause.remedy = text->second.remedy;
  }
  if (known != causes.end())
    *known = std::move(cause);
  else
    causes.push_back(std::move(cause));
}

Cause cause_of(std::string id, double score, const std::string& evidence, const std::string& rule, const SourceLocation& where) {
  Cause cause;
  cause.id = std::move(id);
  cause.score = score;
  cause.evidence = evidence;
  cause.rule = rule;
  cause.where = where;
  return cause;
}

void add_hit(const rules::Hit& hit, std::vector<Cause>& causes) {
  const Value* id = hit.output.find("id");
  const Value* score = hit.output.find("score");
  if (!id || !id->is_string() || !score || !score->is_number()) return;
  add(cause_of(id->as_string(), score->as_number(), hit.because, hit.rule, hit.where), causes);
}

/// Step 3 reads error texts of drivers, CUDA and frameworks; its codes are causes too. What it concludes from versions that a
/// listing happens to print is not.
void add_stack_codes(const std::string& text, const rules::Book& book, std::vector<Cause>& causes) {
  StackRequest request;
  request.symptom = text;
  rules::Session session(book);
  for (const StackFinding& finding : check_stack(request, Catalog::embedded(), book).findings) {
    if (finding.rule.rfind("stack.text.", 0) != 0) continue;
    session.set("found.stack_score", finding.score);
    const Value weight = session.decide("diagnose.stack_score").output;
    if (weight.is_number()) add(cause_of(finding.code, weight.as_number(), finding.message, finding.rule, finding.where), causes);
  }
}

}  // namespace

Diagnosis Evidence::diagnose(std::string_view text) const {
  const std::string cleaned = clean_text(text);
  Value facts = Value::map();
  facts.set_path("found.text", cleaned);
  facts.set_path("found.judged", judged_rules(text, books_->reference));
  rules::Session session(books_->reference, std::move(facts));
  Diagnosis diagnosis;
  for (const rules::Hit& hit : session.decide("diagnose.causes").hits) add_hit(hit, diagnosis.causes);
  add_stack_codes(cleaned, books_->reference, diagnosis.causes);
  std::stable_sort(diagnosis.causes.begin(), diagnosis.causes.end(), [](const Cause& a, const Cause& b) { return a.score > b.score; });
  evidence::Redactor redactor(text);
  for (Cause& cause : diagnosis.causes) cause.evidence = redactor.apply(cause.evidence);
  if (diagnosis.causes.empty()) diagnosis.ask = read(text).verdict.ask;
  return diagnosis;
}

}  // namespace steelyard
