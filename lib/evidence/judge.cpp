#include "evidence/judge.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

std::string text_at(const Value& output, std::string_view key) {
  const Value* value = output.find(key);
  return value && value->is_string() ? value->as_string() : "";
}

int rank_of(const std::string& verdict_class, bool complete, const rules::Book& book) {
  rules::Session session(book);
  session.set("judged.class", verdict_class);
  session.set("judged.complete", complete);
  const rules::Outcome& outcome = session.decide("verify.read.rank");
  return outcome.output.is_number() ? static_cast<int>(outcome.output.as_number()) : 0;
}

}  // namespace

bool names_pcie_card(std::string_view text) {
  for (const std::string_view card : {"A100-PCIE", "A100 PCIe", "A100-PCI", "A100 80GB PCIe", "H100 PCIe", "H100-PCIE", "A800 80GB PCIe", "A800-PCIE", "V100-PCIE", "A30", "A40", "L40", "A10"}) {
    const std::size_t at = text.find(card);
    if (at == std::string_view::npos) continue;
    const std::size_t end = at + card.size();
    const bool longer = end < text.size() && text[end] >= '0' && text[end] <= '9';  // "A10" in "A100"
    if (!longer) return true;
  }
  return false;
}

std::string decision_of(const ToolRecord& record) {
  std::string name = to_lower(record.tool);
  if (name == "dmesg" || name == "lspci") name = record.subject;
  else if (name == "ibstat" || name == "ibstatus" || name == "ibv_devinfo") name = "ports";
  else if (name == "rccl-tests") name = "nccl_tests";
  else if (name == "babelstream" || name == "gpu-stream") name = "memory_stream";
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
  judgement.verdict_class = outcome.status == rules::Status::decided ? text_at(outcome.output, "class") : "no_verdict";
  judgement.ask = text_at(outcome.output, "ask");
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
  for (const ToolRecord& record : records) {
    std::optional<Judgement> judgement = judge_record(record, pcie_card, book);
    if (!judgement) continue;
    if (!judgement->ask.empty() && std::find(verdict.ask.begin(), verdict.ask.end(), judgement->ask) == verdict.ask.end()) verdict.ask.push_back(judgement->ask);
    if (worst && worst->rank <= judgement->rank) continue;
    worst = std::move(judgement);
    verdict.line = record.first_line;
  }
  if (!worst) {
    verdict.because = "0 known tools in this text";
    verdict.ask = {"the output of ibstat, ib_write_bw --report_gbits, nvidia-smi -q, nvidia-smi topo -m, all_reduce_perf with NCCL_DEBUG=INFO, or dmesg"};
    return verdict;
  }
  verdict.verdict_class = worst->verdict_class;
  verdict.because = worst->because;
  verdict.rule = worst->rule;
  verdict.where = worst->where;
  if (!worst->ask.empty()) std::stable_partition(verdict.ask.begin(), verdict.ask.end(), [&](const std::string& ask) { return ask == worst->ask; });
  return verdict;
}

}  // namespace steelyard::evidence
