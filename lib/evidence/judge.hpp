// From records to a class: what follows from a record is computed here, the rules decide.
#pragma once

#include <optional>
#include <steelyard/catalog.hpp>
#include <steelyard/evidence.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rules.hpp"

namespace steelyard::evidence {

/// Class of one record.
struct Judgement {
  std::string verdict_class;
  std::string because, rule;
  SourceLocation where;
  std::string ask;    // empty: nothing
  std::string quote;  // pattern of the line that shows it; empty: the first line of the record
  int rank = 0;       // 1 is worst
};

/// The board that a record names, where the catalog knows exactly one.
const Board* board_of(const ToolRecord& record, const Catalog& catalog);

/// The facts that rules see as `record.*` (rules/reference/facts/record.yaml): those of the record and what follows from them.
Value record_facts(const ToolRecord& record, const Catalog& catalog);

/// Does the text name a PCIe card of a board that also exists with NVLink?
bool names_pcie_card(std::string_view text);

/// "nvidia-smi-q" → "verify.read.nvidia_smi_q"; tools that say the same share one decision.
std::string decision_of(const ToolRecord& record);

/// Class of a record; empty where the book has no decision for its tool.
std::optional<Judgement> judge_record(const ToolRecord& record, bool pcie_card_named, const rules::Book& book);

/// The worst record decides; without records, `no_verdict`.
PasteVerdict judge_paste(const std::vector<ToolRecord>& records, std::string_view text, const rules::Book& book);

}  // namespace steelyard::evidence
