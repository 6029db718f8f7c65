#include "evidence/judge.hpp"

#include <re2/re2.h>

#include <algorithm>

#include "core/text.hpp"
#include "evidence/fact_values.hpp"
#include "evidence/read/paste.hpp"
#include "evidence/read/scan.hpp"
#include "evidence/redact.hpp"

namespace steelyard::evidence {

namespace {

int rank_of(const std::string& verdict_class, bool complete, const rules::Book& book) {
  rules::Session session(book);
  session.set("judged.class", verdict_class);
  session.set("judged.complete", complete);
  const rules::Outcome& outcome = session.decide("verify.read.rank");
  return outcome.output.is_number() ? static_cast<int>(outcome.output.as_number()) : 0;
}

/// The line that shows it: the first of the record that the rule's pattern fits, else the record's first line. Without identities.
void quote_line(std::string_view text, const ToolRecord& record, const std::string& pattern, PasteVerdict& verdict) {
  constexpr std::size_t most_quoted = 200;
  const Paste paste = clean(text);
  const RE2 fits(pattern, RE2::Quiet);
  const Line* found = nullptr;
  for (const Line& line : paste.lines) {
    if (line.number < record.first_line || line.number > record.last_line) continue;
    if (found == nullptr) found = &line;
    if (pattern.empty() || !fits.ok()) break;
    if (!RE2::PartialMatch(line.text, fits)) continue;
    found = &line;
    break;
  }
  if (found == nullptr) return;
  verdict.line = found->number;
  verdict.quote = Redactor(text).apply(trim(found->text)).substr(0, most_quoted);
}

}  // namespace

std::string decision_of(const ToolRecord& record) {
  std::string name = to_lower(record.tool);
  if (name == "dmesg" || name == "lspci")
    name = record.subject;
  else if (name == "ibstat" || name == "ibstatus" || name == "ibv_devinfo")
    name = "ports";
  else if (name == "rccl-tests")
    name = "nccl_tests";
  else if (name == "babelstream" || name == "gpu-stream")
    name = "memory_stream";
  std::replace(name.begin(), name.end(), '-', '_');
  return "verify.read." + name;
}

std::optional<Judgement> judge_record(const ToolRecord& record, bool pcie_card_named, const rules::Book& book) {
  const std::string decision = decision_of(record);
  if (!book.decision(decision)) return std::nullopt;
  Value facts = Value::map();
  facts["record"] = record_facts(record, Catalog::embedded());
  facts.set_path("paste.pcie_card_named", pcie_card_named);
  rules::Session session(book, std::move(facts));
  const rules::Outcome& outcome = session.decide(decision);
  Judgement judgement;
  judgement.verdict_class = outcome.status == rules::Status::decided ? text_of(outcome.output, "class") : "no_verdict";
  judgement.ask = text_of(outcome.output, "ask");
  judgement.quote = text_of(outcome.output, "quote");
  if (!outcome.hits.empty()) {
    judgement.because = outcome.hits.front().because;
    judgement.rule = outcome.hits.front().rule;
    judgement.where = outcome.hits.front().where;
  } else {
    judgement.because = outcome.error;
    judgement.rule = decision;
    judgement.where = outcome.where;
  }
  judgement.rank = rank_of(judgement.verdict_class, record.complete, book);
  return judgement;
}

PasteVerdict judge_paste(const std::vector<ToolRecord>& records, std::string_view text, const rules::Book& book) {
  PasteVerdict verdict;
  const bool pcie_card = names_pcie_card(text);
  std::optional<Judgement> worst;
  const ToolRecord* decider = nullptr;
  for (const ToolRecord& record : records) {
    std::optional<Judgement> judgement = judge_record(record, pcie_card, book);
    if (!judgement) continue;
    if (!judgement->ask.empty() && std::find(verdict.ask.begin(), verdict.ask.end(), judgement->ask) == verdict.ask.end())
      verdict.ask.push_back(judgement->ask);
    if (worst && worst->rank <= judgement->rank) continue;
    worst = std::move(judgement);
    decider = &record;
  }
  if (!worst) {
    verdict.because = "0 known tools in this text";
    verdict.ask = {
        "the output of ibstat, ib_write_bw --report_gbits, nvidia-smi -q, nvidia-smi topo -m, all_reduce_perf with NCCL_DEBUG=INFO, or dmesg"};
    return verdict;
  }
  verdict.verdict_class = worst->verdict_class;
  verdict.because = worst->because;
  verdict.rule = worst->rule;
  verdict.where = worst->where;
  quote_line(text, *decider, worst->quote, verdict);
  if (!worst->ask.empty()) std::stable_partition(verdict.ask.begin(), verdict.ask.end(), [&](const std::string& ask) { return ask == worst->ask; });
  return verdict;
}

}  // namespace steelyard::evidence
