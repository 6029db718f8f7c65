// JSON that tools write: nccl-tests and a fork of it, perftest, nvbandwidth, dcgmi diag. Cut JSON keeps its whole members.
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "evidence/read/dcgmi_diagnosis.hpp"
#include "evidence/read/lenient_json.hpp"
#include "evidence/read/nccl_curve.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Document {
  Value value;
  bool complete = false;
  int first = 0, last = 0;
};

std::optional<double> number_of(const Value* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->as_number();
  return value->is_string() ? number(trim(value->as_string())) : std::nullopt;
}

std::optional<std::int64_t> integer_of(const Value* value) {
  const auto found = number_of(value);
  return found && std::abs(*found) < 9e15 ? std::optional(static_cast<std::int64_t>(*found)) : std::nullopt;
}

std::string text_of(const Value* value) { return value != nullptr && value->is_string() ? std::string(trim(value->as_string())) : ""; }

NcclPlacement placement(const Value& side) {
  NcclPlacement result;
  result.time_us = number_of(side.find("time")).value_or(0);
  result.algbw_gb_per_s = number_of(side.find("alg_bw")).value_or(0);
  result.busbw_gb_per_s = number_of(side.find("bus_bw")).value_or(0);
  result.wrong = number_of(side.find("nwrong"));
  return result;
}

/// nccl-tests -J: {"results": [{"size", "out_of_place": {"time", "alg_bw", "bus_bw", "nwrong"}, ...}], "config": {"devices": [...]}, ...}
void read_results(const Value& list, NcclCurve& curve) {
  for (const Value& entry : list.as_list()) {
    NcclRow row;
    const auto bytes = integer_of(entry.find("size"));
    const Value* out = entry.find("out_of_place");
    const Value* in = entry.find("in_place");
    if (!bytes || ((out == nullptr || !out->find("bus_bw")) && (in == nullptr || !in->find("bus_bw")))) continue;
    row.bytes = *bytes;
    row.reduction = text_of(entry.find("redop"));
    row.root = integer_of(entry.find("root"));
    if (out != nullptr && out->find("bus_bw")) row.out_of_place = placement(*out);
    if (in != nullptr && in->find("bus_bw")) row.in_place = placement(*in);
    if (curve.collective.empty()) curve.collective = collective_name(text_of(entry.find("experiment_name")));
    curve.rows.push_back(std::move(row));
  }
}

void read_devices(const Value* devices, NcclCurve& curve) {
  if (devices == nullptr || !devices->is_list()) return;
  for (const Value& device : devices->as_list()) {
    curve.devices.push_back({text_of(device.find("hostname")), text_of(device.find("device_hex")), text_of(device.find("device_info"))});
  }
}

void read_program(const Value* arguments, NcclCurve& curve) {
  if (arguments == nullptr || !arguments->is_list() || arguments->as_list().empty()) return;
  std::string name = text_of(&arguments->as_list().front());
  name.erase(0, name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1);
  curve.collective = collective_name(name);
}

ToolRecord nccl_tests_record(const Document& document) {
  ToolRecord record;
  record.tool = "nccl-tests";
  NcclCurve curve;
  read_program(document.value.find("args"), curve);
  if (const Value* results = document.value.find("results"); results != nullptr && results->is_list()) read_results(*results, curve);
  const Value* config = document.value.find("config");
  read_devices(config != nullptr ? config->find("devices") : nullptr, curve);
  curve.devices_are_all_ranks = curve.devices.size() > 1;  // one entry may be one process of many
  if (const auto code = integer_of(document.value.find("nccl_version"))) record.facts["nccl_version"] = nccl_version(*code);
  if (config != nullptr) set(record.facts, "iterations", integer_of(config->find("iterations")));
  if (const Value* bounds = document.value.find("out_of_bounds")) set(record.facts, "out_of_bounds_values", integer_of(bounds->find("count")));
  if (const Value* average = document.value.find("average_bus_bandwidth"))
    set(record.facts, "avg_busbw_gb_per_s", number_of(average->find("bandwidth")));
  record.subject = describe_curve(curve, record.facts);
  record.complete = document.complete && !curve.rows.empty();
  return record;
}

/// A fork's dialect: {"benchmark": [{"33554432": {"oop_time", "oop_algbw", "oop_busbw", "oop_error", "ip_...", ...}, ...}], "version": "2.26.6"}
void read_fork_row(const std::string& size, const Value& entry, NcclCurve& curve) {
  const auto bytes = integer(size);
  if (!bytes || !entry.is_map()) return;
  const auto side = [&](const std::string& prefix) -> std::optional<NcclPlacement> {
    const auto bus = number_of(entry.find(prefix + "_busbw"));
    if (!bus) return std::nullopt;
    const auto time = number_of(entry.find(prefix + "_time")), algorithm = number_of(entry.find(prefix + "_algbw"));
    return NcclPlacement{time.value_or(0), algorithm.value_or(0), *bus, number_of(entry.find(prefix + "_error"))};
  };
  NcclRow row;
  row.bytes = *bytes;
  row.reduction = text_of(entry.find("redop"));
  row.root = integer_of(entry.find("root"));
  row.out_of_place = side("oop");
  row.in_place = side("ip");
  if (row.out_of_place || row.in_place) curve.rows.push_back(std::move(row));
}

ToolRecord nccl_fork_record(const Document& document, const Paste& paste) {
  ToolRecord record;
  record.tool = "nccl-tests";
  NcclCurve curve;
  for (const Value& block : document.value.find("benchmark")->as_list()) {
    if (!block.is_map()) continue;
    for (const auto& [size, entry] : block.as_map()) read_fork_row(size, entry, curve);
  }
  for (const Line& line : paste.lines) {
    for (std::string_view word : words(line.text)) {
      if (const std::size_t slash = word.rfind('/'); slash != std::string_view::npos) word.remove_prefix(slash + 1);
      if (ends_with(word, "_perf") && curve.collective.empty()) curve.collective = collective_name(word);
    }
  }
  set_text(record.facts, "nccl_version", version_prefix(text_of(document.value.find("version"))));
  record.subject = describe_curve(curve, record.facts);
  record.complete = document.complete && !curve.rows.empty();
  return record;
}

/// The last (largest) row; null where there is none.
Value perftest_row(const Value& document) {
  const Value* results = document.find("results");
  if (results == nullptr) return {};
  if (!results->is_list()) return *results;
  return results->as_list().empty() ? Value() : results->as_list().back();
}

void set_perftest_row(const Value& row, bool latency, Value& facts) {
  const double bytes = number_of(row.find("MsgSize")).value_or(0), rate = number_of(row.find("MsgRate")).value_or(0);
  facts["rows"] = bytes > 0 ? 1 : 0;
  if (bytes > 0) facts["at_bytes"] = static_cast<std::int64_t>(bytes);
  if (rate > 0) facts["message_rate_mpps"] = rate;
  if (rate > 0 && bytes > 0 && !latency) facts["bandwidth_gbit_per_s"] = rate * bytes * 8 / 1000;
  if (!latency) return;
  set(facts, "latency_typical_us", number_of(row.find("t_typical")));
  set(facts, "latency_avg_us", number_of(row.find("t_avg")));
}

/// perftest --out_json prints no unit; the message rate times the size gives the bandwidth beyond doubt.
ToolRecord perftest_record(const Document& document) {
  ToolRecord record;
  record.tool = "perftest";
  const Value& info = *document.value.find("test_info");
  const std::string title = to_lower(text_of(info.find("test")));
  const bool latency = contains(title, "lat");
  for (const std::string_view kind : {"write", "read", "send", "atomic"}) {
    if (contains(title, kind)) record.subject = std::string(kind) + (latency ? "_lat" : "_bw");
  }
  set(record.facts, "qps", integer_of(info.find("Number_of_qps")));
  set(record.facts, "mtu_bytes", integer_of(info.find("Mtu")));
  set(record.facts, "gid_index", integer_of(info.find("GID_index")));
  set_text(record.facts, "device", text_of(info.find("Device")));
  set_text(record.facts, "connection", text_of(info.find("Connection_type")));
  const std::string layer = text_of(info.find("Link_type"));
  if (layer == "IB" || layer == "Ethernet") record.facts["link_layer"] = layer == "IB" ? "InfiniBand" : "Ethernet";
  if (const std::string cm = text_of(info.find("rdma_cm_QPs")); !cm.empty()) record.facts["rdma_cm"] = cm == "ON";
  set_perftest_row(perftest_row(document.value), latency, record.facts);
  record.complete = document.complete && record.facts.find("at_bytes");
  return record;
}

void add_range(const Value& matrix, Value& facts, bool latency) {
  std::optional<double> least, most;
  for (const Value& row : matrix.as_list()) {
    if (!row.is_list()) continue;
    for (const Value& cell : row.as_list()) {
      const auto value = number_of(&cell);
      if (!value) continue;
      least = std::min(least.value_or(*value), *value);
      most = std::max(most.value_or(*value), *value);
    }
  }
  set(facts, latency ? "min_ns" : "min_gb_per_s", least);
  set(facts, latency ? "max_ns" : "max_gb_per_s", most);
}

Records nvbandwidth_records(const Document& document) {
  Records records;
  const Value& root = *document.value.find("nvbandwidth");
  const Value* tests = root.find("testcases");
  if (tests == nullptr || !tests->is_list()) return records;
  const Value* devices = root.find("GPU Device list");
  for (const Value& test : tests->as_list()) {
    const Value* matrix = test.find("bandwidth_matrix");
    ToolRecord record;
    record.tool = "nvbandwidth";
    record.subject = text_of(test.find("name"));
    record.tool_version = text_of(root.find("git_version"));
    set_text(record.facts, "driver", text_of(root.find("Driver Version")));
    for (const std::string_view key : {"CUDA Driver Version", "CUDA Runtime Version"}) {
      if (const auto code = integer_of(root.find(key)); code && !record.facts.find("cuda")) record.facts["cuda"] = cuda_version(*code);
    }
    if (devices != nullptr && devices->is_list() && !devices->as_list().empty()) {
      record.facts["gpus"] = devices->as_list().size();
      std::string_view name = devices->as_list().front().is_string() ? std::string_view(devices->as_list().front().as_string()) : "";
      set_text(record.facts, "gpu", trim(before(after(name, ": ").value_or(name), " (")));
    }
    const bool latency = contains(record.subject, "latency");
    if (matrix != nullptr && matrix->is_list()) add_range(*matrix, record.facts, latency);
    if (!latency) set(record.facts, "sum_gb_per_s", number_of(test.find("sum")));
    const std::string status = text_of(test.find("status"));
    if (contains(text_of(test.find("error")), "pattern")) record.facts["data_error"] = true;
    if (equal_ci(status, "Waived")) record.facts["waived"] = true;
    record.complete = document.complete && (matrix != nullptr || record.facts.find("waived"));
    if (matrix != nullptr || record.facts.find("data_error") || record.facts.find("waived")) records.push_back(std::move(record));
  }
  return records;
}

Records records_of(const Document& document, const Paste& paste) {
  const Value& value = document.value;
  Records records;
  const Value* benchmark = value.find("benchmark");
  const Value* info = value.find("test_info");
  const Value* bandwidth = value.find("nvbandwidth");
  const Value* config = value.find("config");
  if (benchmark != nullptr && benchmark->is_list())
    records.push_back(nccl_fork_record(document, paste));
  else if (info != nullptr && info->is_map())
    records.push_back(perftest_record(document));
  else if (bandwidth != nullptr && bandwidth->is_map())
    records = nvbandwidth_records(document);
  else if (value.find("nccl_version") != nullptr && (config != nullptr || value.find("results") != nullptr))
    records.push_back(nccl_tests_record(document));
  else if (auto diagnosis = dcgmi_diag_of_json(value)) {
    diagnosis->complete = diagnosis->complete && document.complete;
    records.push_back(std::move(*diagnosis));
  }
  for (ToolRecord& record : records) record.first_line = document.first, record.last_line = document.last;
  return records;
}

}  // namespace

Records read_json_outputs(const Paste& paste) {
  std::string text;
  std::vector<std::size_t> begins;  // offset of each line
  for (const Line& line : paste.lines) {
    begins.push_back(text.size());
    text += line.text + "\n";
  }
  Records records;
  for (std::size_t at = 0; at < paste.lines.size(); ++at) {
    if (!starts_with(trim(paste.lines[at].text), "{")) continue;
    const std::size_t open = text.find('{', begins[at]);
    LenientJson json = read_lenient_json(std::string_view(text).substr(open));
    const auto next = std::upper_bound(begins.begin(), begins.end(), open + std::max<std::size_t>(json.length, 1) - 1);
    const auto last = static_cast<std::size_t>(next - begins.begin()) - 1;
    const Document document{std::move(json.value), json.complete, paste.lines[at].number, paste.lines[last].number};
    for (ToolRecord& record : records_of(document, paste)) records.push_back(std::move(record));
    at = last;
  }
  return records;
}

}  // namespace steelyard::evidence
