// Symptoms to causes: the rules look at the text and at how its records were judged; texts of the causes are data.
#include <algorithm>
#include <map>

#include "evidence/books.hpp"
#include "evidence/judge.hpp"
#include "evidence/read/paste.hpp"
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

void add_hit(const rules::Hit& hit, const std::map<std::string, CauseText>& texts, std::vector<Cause>& causes) {
  const Value* id = hit.output.find("id");
  const Value* score = hit.output.find("score");
  if (!id || !id->is_string() || !score || !score->is_number()) return;
  const auto known = std::find_if(causes.begin(), causes.end(), [&](const Cause& cause) { return cause.id == id->as_string(); });
  if (known != causes.end() && known->score >= score->as_number()) return;
  Cause cause;
  cause.id = id->as_string();
  cause.score = score->as_number();
  cause.evidence = hit.because;
  cause.rule = hit.rule;
  cause.where = hit.where;
  if (const auto text = texts.find(cause.id); text != texts.end()) cause.cause = text->second.cause, cause.check = text->second.check, cause.remedy = text->second.remedy;
  if (known != causes.end()) *known = std::move(cause);
  else causes.push_back(std::move(cause));
}

}  // namespace

Diagnosis Evidence::diagnose(std::string_view text) const {
  static const std::map<std::string, CauseText> texts = load_causes();
  Value facts = Value::map();
  facts.set_path("found.text", clean_text(text));
  facts.set_path("found.judged", judged_rules(text, books_->reference));
  rules::Session session(books_->reference, std::move(facts));
  Diagnosis diagnosis;
  for (const rules::Hit& hit : session.decide("diagnose.causes").hits) add_hit(hit, texts, diagnosis.causes);
  std::stable_sort(diagnosis.causes.begin(), diagnosis.causes.end(), [](const Cause& a, const Cause& b) { return a.score > b.score; });
  if (diagnosis.causes.empty()) diagnosis.ask = read(text).verdict.ask;
  return diagnosis;
}

}  // namespace steelyard
