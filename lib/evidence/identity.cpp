#include "evidence/identity.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "core/text.hpp"
#include "evidence/fact_values.hpp"
#include "evidence/judge.hpp"
#include "evidence/read/scan.hpp"
#include "evidence/references.hpp"

namespace steelyard::evidence {

namespace {

/// What nvidia-smi prints for one GPU of the board.
double memory_mib(const Board& board) {
  constexpr double mib_per_gib = 1024;
  return board.reported_memory_mib.value_or(board.memory_gb_nominal * mib_per_gib / References::embedded().devices_of(board));
}

/// "all": every pair of GPUs; "some": at least one pair; empty: none, or not said and not known from the board.
std::string promised_nvlink(const Configuration& promise) {
  const std::string kind = promise.board ? promise.board->nvlink_kind : "";
  if (promise.gpus_per_node < 2 || promise.intra_node == "pcie" || promise.intra_node == "none") return "";
  if (kind == "nvswitch") return "all";
  return promise.intra_node.empty() ? "" : "some";
}

/// The board by the record's name, also where the name leaves several open: does the promised one fit?
std::optional<bool> board_matches(const Configuration& promise, const ToolRecord& record) {
  const std::string name = text_of(record.facts, "gpu");
  if (name.empty() || promise.board == nullptr) return std::nullopt;
  constexpr double mib_per_gib = 1024;
  const auto match = Catalog::embedded().find_board(name, number_of(record.facts, "memory_mib").value_or(0) / mib_per_gib);
  if (match.candidates.empty()) return std::nullopt;
  const bool fits = std::any_of(match.candidates.begin(), match.candidates.end(), [&](const Board* board) { return board->id == promise.board->id; });
  if (fits && match.candidates.size() > 1) return std::nullopt;
  return fits;
}

/// Does the tool tell whether the GPUs of a node and what joins them are sound? Faults that repaired themselves do not count.
bool tells_health(const ToolRecord& record, const Value& facts, const std::string& verdict_class) {
  static const std::set<std::string> health{"nvidia-smi", "nvidia-smi-q", "nvidia-smi-nvlink",       "nvidia-smi-topo", "dcgmi-diag", "dcgmi-nvlink",
                                            "dmesg",      "nvbandwidth",  "p2pBandwidthLatencyTest", "babelstream",     "gpu-stream"};
  if (record.subject == "link_flap" || (record.subject == "pcie_error" && verdict_class != "defective")) return false;
  const bool in_a_node = record.tool == "nccl-tests" && number_of(facts, "nodes") == 1.0;
  return in_a_node || health.count(record.tool) > 0;
}

/// Links between the GPUs of a matrix: pairs, those with NVLink, and the fewest links of such a pair ("NV12").
void add_links(const ToolRecord& record, Value& facts) {
  const Value* pairs = record.tool == "nvidia-smi-topo" ? record.facts.find("gpu_pairs") : nullptr;
  if (pairs == nullptr || !pairs->is_map()) return;
  std::int64_t all = 0, linked = 0;
  std::optional<double> fewest;
  for (const auto& [kind, count] : pairs->as_map()) {
    all += count.as_int();
    const auto links = starts_with(kind, "NV") ? number(std::string_view(kind).substr(2)) : std::nullopt;
    if (!links) continue;
    linked += count.as_int();
    fewest = std::min(fewest.value_or(*links), *links);
  }
  facts["pairs"] = all;
  facts["nvlink_pairs"] = linked;
  if (fewest) facts["nvlinks"] = *fewest;
}

std::vector<double> version_parts(std::string_view text) {
  std::vector<double> parts;
  while (!text.empty()) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    const auto part = number(text.substr(0, dot));
    if (!part) break;
    parts.push_back(*part);
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return parts;
}

}  // namespace

bool older_driver(std::string_view seen, std::string_view promised) {
  std::vector<double> have = version_parts(seen);
  const std::vector<double> wanted = version_parts(promised);
  if (have.empty() || wanted.empty()) return false;
  have.resize(std::min(have.size(), wanted.size()));
  return std::lexicographical_compare(have.begin(), have.end(), wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(have.size()));
}

void add_board_promise(const Configuration& promise, Value& facts) {
  facts["driver"] = promise.driver;
  facts["nvlink"] = promised_nvlink(promise);
  if (promise.gpu_peer_access) facts["peer_access"] = *promise.gpu_peer_access;
  if (promise.board == nullptr) return;
  facts["memory_mib"] = memory_mib(*promise.board);
  if (promise.board->nvlink_kind == "nvswitch") set(facts, "nvlinks", expected_nvlinks(*promise.board));
}

Value identity_facts(const Configuration& promise, const ToolRecord& record, const Value& record_facts, const std::string& verdict_class) {
  Value facts = Value::map();
  facts["class"] = verdict_class;
  facts["health_tool"] = tells_health(record, record_facts, verdict_class);
  facts["lists_gpus"] = record.tool == "nvidia-smi" || record.tool == "nvidia-smi-q";
  facts["gpu"] = text_of(record.facts, "gpu");
  set(facts, "board_matches", board_matches(promise, record));
  const auto attached = number_of(record_facts, "attached_gpus"), gpus = number_of(record_facts, "gpus");
  set(facts, "gpus", attached ? attached : gpus);
  set(facts, "memory_mib", number_of(record.facts, "memory_mib"));
  facts["older_driver"] = older_driver(text_of(record.facts, "driver"), promise.driver);
  if (const Value* mig = record.facts.find("mig")) facts["mig"] = *mig;
  if (const Value* peers = record.tool == "nvidia-smi-topo-p2p" ? record.facts.find("all_ok") : nullptr) facts["peers"] = *peers;
  add_links(record, facts);
  return facts;
}

}  // namespace steelyard::evidence
