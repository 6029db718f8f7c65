// What follows from a record: shares of class figures, groups of ports, counts of lists.
#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "evidence/dcgm_tests.hpp"
#include "evidence/fact_values.hpp"
#include "evidence/judge.hpp"
#include "evidence/read/scan.hpp"
#include "evidence/references.hpp"

namespace steelyard::evidence {

namespace {

std::int64_t size_of(const Value& facts, std::string_view key) {
  const Value* value = facts.find(key);
  return value && value->is_list() ? static_cast<std::int64_t>(value->as_list().size()) : 0;
}

void set_reference(Value& facts, const Reference* reference, std::optional<double> measured) {
  if (reference == nullptr || !measured || reference->gb_per_s <= 0) return;
  facts["reference_ratio"] = *measured / reference->gb_per_s;
  facts["reference_value"] = reference->gb_per_s;
  facts["reference_kind"] = reference->kind;
}

/// One direction of all NVLinks of a GPU, where a collective that all GPUs take part in equally can fill them.
std::optional<double> switched_nvlink(const ToolRecord& record, const Board& board) {
  static const std::set<std::string, std::less<>> equal{"all_reduce", "all_gather", "reduce_scatter", "alltoall"};
  const double ranks = number_of(record.facts, "ranks").value_or(0);
  const bool all_linked = board.nvlink_kind == "nvswitch" || (board.nvlink_kind == "mesh" && ranks >= 8);  // a mesh is full with all its GPUs only
  if (!all_linked || !board.nvlink_gb_per_s_bidirectional || equal.count(record.subject) == 0) return std::nullopt;
  return *board.nvlink_gb_per_s_bidirectional / 2;
}

void add_collective(const ToolRecord& record, const Board* board, Value& facts) {
  const auto ranks = number_of(facts, "ranks"), nodes = number_of(facts, "nodes");
  if (board == nullptr || !ranks || !nodes || *nodes > 1) return;  // between nodes the network decides, and a paste does not name it
  const Reference* reference = References::embedded().collective(*board, record.subject, static_cast<int>(*ranks), static_cast<int>(*nodes), 0);
  const auto busbw = number_of(facts, "peak_busbw_gb_per_s");
  set_reference(facts, reference, busbw);
  if (const auto link = switched_nvlink(record, *board); busbw && link) facts["nvlink_share"] = *busbw / *link;
}

void add_line_share(Value& facts) {
  const auto measured = number_of(facts, "bandwidth_gbit_per_s");
  if (measured && *measured > 0) {
    const bool both = facts.find("bidirectional") && facts.find("bidirectional")->as_bool();
    const double one_way = both ? *measured / 2 : *measured;
    if (const auto line = References::embedded().line_rate_gbit_per_s(one_way))
      facts["line_rate_gbit_per_s"] = *line, facts["line_share"] = one_way / *line;
  }
  for (const char* key : {"latency_typical_us", "latency_avg_us"}) {
    if (!facts.find("latency_us")) set(facts, "latency_us", number_of(facts, key));
  }
}

struct PortGroup {
  double rate = 0;
  std::string layer;
};

/// The active ports of the highest rate are the compute network; storage and management ports are slower or of another kind.
PortGroup fastest(const Value::List& ports) {
  PortGroup group;
  for (const Value& port : ports) {
    const bool active = text_of(port, "state") == "Active" && (!port.find("physical_state") || text_of(port, "physical_state") == "LinkUp");
    const double rate = number_of(port, "rate_gbit_per_s").value_or(0);
    const std::string layer = text_of(port, "link_layer");
    const bool better = rate > group.rate || (rate == group.rate && layer == "InfiniBand");
    if (active && better) group = {rate, layer};
  }
  return group;
}

void add_ports(Value& facts) {
  const Value* list = facts.find("ports");
  if (list == nullptr || !list->is_list()) return;
  const Value::List ports = list->as_list();
  const PortGroup group = fastest(ports);
  std::int64_t up = 0, slower = 0, polling = 0, disabled = 0, unready = 0;
  for (const Value& port : ports) {
    if (text_of(port, "link_layer") != group.layer) continue;
    const std::string state = text_of(port, "state"), physical = text_of(port, "physical_state");
    if (state == "Active" && (physical.empty() || physical == "LinkUp"))
      ++(number_of(port, "rate_gbit_per_s").value_or(0) == group.rate ? up : slower);
    else if (physical == "Polling")
      ++polling;
    else if (physical == "Disabled")
      ++disabled;
    else
      ++unready;
  }
  facts["fabric_ports"] = up;
  if (group.rate > 0) facts["fabric_rate_gbit_per_s"] = group.rate;
  facts["fabric_layer"] = group.layer;
  facts["fabric_slower"] = slower;
  facts["fabric_polling"] = polling;
  facts["fabric_disabled"] = disabled;
  facts["fabric_unready"] = unready;
  facts["fabric_count_usual"] = up > 0 && (up & (up - 1)) == 0;
}

void add_board(const Board* board, Value& facts) {
  if (board == nullptr) return;
  if (!board->form_factor.empty()) facts["pcie_board"] = board->form_factor == "pcie" || board->form_factor == "nvl";
  if (!board->nvlink_kind.empty()) facts["nvlink_board"] = board->nvlink_kind == "nvswitch" || board->nvlink_kind == "mesh";
  set(facts, "expected_links", expected_nvlinks(*board));
}

void add_memory(const Board* board, Value& facts) {
  const auto triad = number_of(facts, "triad_gb_per_s");
  auto peak = number_of(facts, "peak_gb_per_s");
  if (!peak && board && board->memory_bandwidth_gb_per_s) peak = *board->memory_bandwidth_gb_per_s / References::embedded().devices_of(*board);
  if (triad && peak && *peak > 0) facts["memory_share"] = *triad / *peak;
  if (board) set_reference(facts, References::embedded().triad(*board), triad);
}

std::string joined(const Value& facts, std::string_view key, std::string_view without) {
  std::string text;
  const Value* list = facts.find(key);
  if (list == nullptr || !list->is_list()) return text;
  for (const Value& item : list->as_list()) {
    if (item.is_string() && item.as_string() != without) text += (text.empty() ? "" : ", ") + item.as_string();
  }
  return text;
}

void add_gpu_lists(Value& facts) {
  facts["sensors_failed"] = size_of(facts, "sensor_errors");
  facts["gpus_without"] = size_of(facts, "gpus_without_links");
  facts["gpus_off_nvlink"] = size_of(facts, "gpus_without_nvlink");
  facts["outliers"] = size_of(facts, "outlier_bytes");
  facts["layers"] = size_of(facts, "link_layers");
  if (facts.find("throttle_reasons")) facts["hard_throttle"] = joined(facts, "throttle_reasons", "sw_power_cap");
  if (const auto branch = leading_number(text_of(facts, "driver"))) facts["driver_branch"] = *branch;
}

void add_topology(Value& facts) {
  const Value* pairs = facts.find("gpu_pairs");
  if (pairs == nullptr || !pairs->is_map()) return;
  std::int64_t nvlink = 0;
  for (const auto& [kind, count] : pairs->as_map()) nvlink += starts_with(kind, "NV") ? count.as_int() : 0;
  facts["nvlink_pairs"] = nvlink;
}

bool one_way_between_gpus(std::string_view subject) {
  return starts_with(subject, "device_to_device_memcpy_read_") || starts_with(subject, "device_to_device_memcpy_write_");
}

/// The slowest copy in one direction over what the card's PCIe link carries; more than 1 where a bridge joins the cards.
std::optional<double> pcie_share(const ToolRecord& record, const Board& board, std::optional<double> between_gpus) {
  static const std::set<std::string, std::less<>> host{"host_to_device_memcpy_ce", "device_to_host_memcpy_ce"};
  const bool cards = board.nvlink_kind == "none" || board.nvlink_kind == "pairs";
  const bool with_host = host.count(record.subject) > 0 && board.form_factor != "superchip";
  const auto slowest = with_host ? number_of(record.facts, "min_gb_per_s") : cards ? between_gpus : std::nullopt;
  const auto link = pcie_gb_per_s(board);
  return slowest && link ? std::optional(*slowest / *link) : std::nullopt;
}

void add_copies(const ToolRecord& record, const Board* board, Value& facts) {
  auto slowest = number_of(facts, "unidirectional_p2p_on_min_gb_per_s"), fastest_pair = number_of(facts, "unidirectional_p2p_on_max_gb_per_s");
  const bool one_way = slowest.has_value();
  if (const auto both = number_of(facts, "bidirectional_p2p_on_min_gb_per_s"); both && !one_way)
    slowest = *both / 2, fastest_pair = number_of(facts, "bidirectional_p2p_on_max_gb_per_s").value_or(*both) / 2;
  if (record.tool == "nvbandwidth" && one_way_between_gpus(record.subject)) slowest = number_of(facts, "min_gb_per_s");
  if (slowest) facts["p2p_min_gb_per_s"] = *slowest;
  if (slowest && fastest_pair && *fastest_pair > 0) facts["spread"] = *slowest / *fastest_pair;
  if (record.tool == "nvbandwidth")
    facts["waived_peers"] = facts.find("waived") && contains(record.subject, "device_to_device") && !starts_with(record.subject, "multinode") &&
                            number_of(facts, "gpus").value_or(2) > 1;
  if (board == nullptr) return;
  if (one_way) set_reference(facts, References::embedded().copy(*board, "p2p"), slowest);
  set(facts, "pcie_share_of_copy", pcie_share(record, *board, slowest));
  if (record.tool == "nvbandwidth") set_reference(facts, References::embedded().copy(*board, record.subject), number_of(facts, "min_gb_per_s"));
}

void add_burn_in(Value& facts) {
  const auto least = number_of(facts, "min_gflops"), most = number_of(facts, "max_gflops");
  if (least && most && *most > 0) facts["spread"] = *least / *most;
}

void add_diagnosis(Value& facts) {
  const Value* found = facts.find("tests");
  if (found == nullptr || !found->is_map()) return;
  const Value::Map tests = found->as_map();  // a copy: adding facts moves them
  const std::string complaint = text_of(facts, "warning") + text_of(facts, "error");
  facts["links_complaint"] = size_of(facts, "failed_tests") == 1 && contains(complaint, "NvLink") && contains(complaint, "down");
  const auto count = [&](const char* status, bool hardware) {
    return static_cast<std::int64_t>(std::count_if(tests.begin(), tests.end(), [&](const auto& test) {
      return test.second == Value(status) && (!hardware || dcgm_test_looks_at(test.first) != "software");
    }));
  };
  facts["passed_tests"] = count("pass", false);
  facts["skipped_tests"] = count("skip", false);
  facts["passed_hardware_tests"] = count("pass", true);
  facts["failed_hardware_tests"] = count("fail", true) + count("error", true);
  facts["settings_complaint"] = contains_ci(complaint, "persistence mode");
  const std::int64_t failed = size_of(facts, "failed_tests"), gpus = size_of(facts, "failed_gpus");
  facts["failed_tests"] = failed;
  facts["failed_gpus"] = gpus;
}

void add_pcie(Value& facts) {
  const auto available = number_of(facts, "available_gbit_per_s"), capable = number_of(facts, "capable_gbit_per_s");
  if (available && capable && *capable > 0) facts["pcie_share"] = *available / *capable;
}

void add_software(Value& facts) {
  if (!text_of(facts, "rocm_build").empty()) facts["rocm"] = true;
  if (starts_with(text_of(facts, "python"), "2.")) facts["python_2"] = true;
}

void add_buffers(Value& facts) {
  facts["device_buffers"] = text_of(facts, "send_buffer") == "device" && text_of(facts, "receive_buffer") == "device";
}

}  // namespace

const Board* board_of(const ToolRecord& record, const Catalog& catalog) {
  const std::string name = text_of(record.facts, "gpu");
  if (name.empty()) return nullptr;
  return catalog.find_board(name, number_of(record.facts, "memory_mib").value_or(0) / 1024).resolved();
}

Value record_facts(const ToolRecord& record, const Catalog& catalog) {
  Value facts = record.facts;
  const Board* board = board_of(record, catalog);
  const bool collective = record.tool == "nccl-tests" || record.tool == "rccl-tests";
  if (collective) add_collective(record, board, facts);
  if (record.tool == "perftest") add_line_share(facts);
  if (record.tool == "gpu-burn") add_burn_in(facts);
  if (record.tool == "collect_env") add_software(facts);
  add_ports(facts);
  add_board(board, facts);
  add_memory(board, facts);
  add_gpu_lists(facts);
  add_topology(facts);
  add_copies(record, board, facts);
  add_diagnosis(facts);
  add_pcie(facts);
  add_buffers(facts);
  facts["tool"] = record.tool;
  facts["subject"] = record.subject;
  facts["complete"] = record.complete;
  return facts;
}

}  // namespace steelyard::evidence
