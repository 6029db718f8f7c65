// perftest (ib_write_bw, ib_read_lat ...). Its "MB/sec" and "MiB/sec" are both 2^20 bytes/s.
#include <algorithm>

#include "core/text.hpp"
#include "evidence/read/perftest_failure.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

enum class Column { bytes, iterations, peak, average, message_rate, typical, latency_average, p99, other };

struct Row {
  std::int64_t bytes = 0;
  std::optional<double> peak, average, message_rate, typical, latency_average, p99;
};

struct Run {
  std::string subject, device;
  Value facts = Value::map();
  std::vector<Column> columns;
  std::string unit;  // "Gb/sec" "MB/sec" "MiB/sec"
  std::vector<Row> rows;
  std::vector<std::string> lids, gids;  // local and remote, as printed
  bool title = false, latency = false, header = false, closed = false, cut = false;
  std::optional<std::int64_t> completion_error;
  int first = 0, last = 0;
};

bool rule_line(std::string_view line) {
  const std::string_view text = trim(line);
  return text.size() >= 40 && text.find_first_not_of('-') == std::string_view::npos;
}

/// "RDMA_Write Bidirectional BW Test" → write_bw and bidirectional; false where it is no title.
bool read_title(std::string_view line, Run& run) {
  const std::string_view text = trim(line);
  const bool bandwidth = ends_with(text, "BW Test"), latency = ends_with(text, "Latency Test");
  if ((!bandwidth && !latency) || starts_with(text, "#") || text.size() > 60) return false;
  std::string kind;
  if (contains(text, "Write"))
    kind = "write";
  else if (contains(text, "Read"))
    kind = "read";
  else if (contains(text, "Atomic"))
    kind = "atomic";
  else if (contains(text, "Send"))
    kind = "send";
  else
    return false;
  run.title = true;
  run.latency = latency;
  run.subject = kind + (latency ? "_lat" : "_bw");
  if (bandwidth) run.facts["bidirectional"] = contains(text, "Bidirectional");
  return true;
}

Column column_of(std::string_view name) {
  if (starts_with(name, "#bytes")) return Column::bytes;
  if (starts_with(name, "#iterations")) return Column::iterations;
  if (starts_with(name, "BW peak")) return Column::peak;
  if (starts_with(name, "BW average")) return Column::average;
  if (starts_with(name, "MsgRate")) return Column::message_rate;
  if (starts_with(name, "t_typical")) return Column::typical;
  if (starts_with(name, "t_avg")) return Column::latency_average;
  return starts_with(name, "99% percentile") ? Column::p99 : Column::other;
}

/// "#bytes  #iterations  BW peak[Gb/sec] ...": names may hold one blank.
bool read_header(std::string_view line, Run& run) {
  if (!contains(line, "#bytes") || !contains(line, "#iterations")) return false;
  std::vector<Column> columns;
  const std::vector<std::string_view> word = words(line);
  for (std::size_t at = 0; at < word.size(); ++at) {
    std::string name(word[at]);
    const bool two_words = name == "BW" || name == "99%" || name == "99.9%" || name == "tps";
    if (two_words && at + 1 < word.size()) name += " " + std::string(word[++at]);
    columns.push_back(column_of(name));
  }
  run.columns = std::move(columns);
  run.header = true;
  run.latency = contains(line, "t_avg") || contains(line, "t_typical");
  run.unit = std::string(before(after(line, "BW average[").value_or(""), "]"));
  if (run.subject.empty()) run.subject = run.latency ? "lat" : "bw";
  return true;
}

std::optional<double>* slot(Row& row, Column column) {
  switch (column) {
    case Column::peak: return &row.peak;
    case Column::average: return &row.average;
    case Column::message_rate: return &row.message_rate;
    case Column::typical: return &row.typical;
    case Column::latency_average: return &row.latency_average;
    case Column::p99: return &row.p99;
    default: return nullptr;
  }
}

bool has_row(const Run& run, const Row& row) {
  return std::any_of(run.rows.begin(), run.rows.end(), [&](const Row& other) {
    return other.bytes == row.bytes && other.average == row.average && other.latency_average == row.latency_average;
  });
}

/// A row has as many numbers as the header has names; a shorter one was cut.
bool read_row(std::string_view line, Run& run) {
  const std::vector<std::string_view> word = words(line);
  if (!run.header || word.size() < 2 || !integer(word[0]) || !integer(word[1])) return false;
  if (word.size() > run.columns.size()) return false;  // of another tool
  if (word.size() < run.columns.size()) return run.closed ? false : (run.cut = true);
  Row row;
  row.bytes = *integer(word[0]);
  for (std::size_t at = 2; at < run.columns.size(); ++at) {
    const std::optional<double> value = number(word[at]);
    if (!value || *value < 0) return run.closed ? false : (run.cut = true);  // long runs overflow the counters
    if (std::optional<double>* place = slot(row, run.columns[at])) *place = value;
  }
  const bool seen = has_row(run, row);  // both sides of a test print the same row
  if (!seen && !run.closed) run.rows.push_back(row);
  return seen || !run.closed;
}

bool has_setting(std::string_view line) {
  if (!contains(line, ":")) return false;
  for (const std::string_view key :
       {"Dual-port", "Number of qps", "Connection type", "PCIe relax order", "ibv_wr* API", "TX depth", "RX depth", "CQ Moderation", "CQE Poll Batch",
        "Mtu  ", "Link type  ", "GID index  ", "Max inline data", "rdma_cm QPs", "Data ex. method", "Outstand reads"}) {
    if (contains(line, key)) return true;
  }
  return false;
}

/// Settings "Key : value", one or two on a line, and the addresses of both ends.
bool read_setting(std::string_view line, Run& run) {
  const auto word = [&](std::string_view key) { return word_after(line, key, "[]"); };
  const auto field = [&](std::string_view key) -> std::optional<std::string_view> {
    const std::optional<std::string_view> rest = after(line, key);
    if (!rest || !starts_with(*rest, ":")) return std::nullopt;
    return word_after(*rest, ":", "[");
  };
  if (const auto device = contains(line, "Dual-port") ? field("Device") : std::nullopt) run.device = *device, run.facts["device"] = Value(*device);
  if (const auto count = field("Number of qps")) set(run.facts, "qps", integer(*count));
  if (const auto kind = field("Connection type")) run.facts["connection"] = Value(*kind);
  if (const auto mtu = field("Mtu")) set(run.facts, "mtu_bytes", integer(*mtu));
  if (const auto layer = field("Link type")) {
    if (*layer == "IB") run.facts["link_layer"] = "InfiniBand";
    if (*layer == "Ethernet") run.facts["link_layer"] = "Ethernet";
  }
  if (const auto index = field("GID index")) set(run.facts, "gid_index", integer(*index));
  if (const auto cm = field("rdma_cm QPs"); cm && (*cm == "ON" || *cm == "OFF")) run.facts["rdma_cm"] = *cm == "ON";
  const bool local = contains(line, "local address:"), remote = contains(line, "remote address:");
  if (const auto lid = word("LID "); lid && (local || remote)) run.lids.push_back((remote ? "r" : "l") + std::string(*lid));
  if (starts_with(trim(line), "GID:")) run.gids.emplace_back(trim(after(line, "GID:").value_or("")));
  return local || remote || starts_with(trim(line), "GID:") || has_setting(line);
}

/// Both ends in one port: the same LID, or the same GID where there are no LIDs (RoCE).
std::optional<bool> loopback(const Run& run) {
  std::vector<std::string> local, remote;
  for (const std::string& lid : run.lids) (lid[0] == 'l' ? local : remote).push_back(lid.substr(1));
  if (local.empty() || remote.empty()) return std::nullopt;
  if (local[0].find_first_not_of("0x") != std::string::npos) return local[0] == remote[0];
  if (run.gids.size() < 2) return std::nullopt;
  return run.gids[0] == run.gids[1];
}

double gbit_per_s(double printed, const std::string& unit) { return unit == "Gb/sec" ? printed : printed * 1.048576 * 8 / 1000; }

void describe_bandwidth(const Run& run, Value& facts) {
  const Row* best = nullptr;
  for (const Row& row : run.rows) {
    if (row.average && (best == nullptr || *row.average >= *best->average)) best = &row;  // of equal ones the larger message
  }
  if (best == nullptr) return;
  facts["bandwidth_gbit_per_s"] = gbit_per_s(*best->average, run.unit);
  if (best->peak.value_or(0) > 0) facts["peak_gbit_per_s"] = gbit_per_s(*best->peak, run.unit);  // 0.00: not measured in duration mode
  facts["at_bytes"] = best->bytes;
  set(facts, "message_rate_mpps", best->message_rate);
}

void describe_latency(const Run& run, Value& facts) {
  const auto least = std::min_element(run.rows.begin(), run.rows.end(), [](const Row& a, const Row& b) { return a.bytes < b.bytes; });
  if (least == run.rows.end()) return;
  set(facts, "latency_typical_us", least->typical);
  set(facts, "latency_avg_us", least->latency_average);
  set(facts, "latency_p99_us", least->p99);
  facts["at_bytes"] = least->bytes;
}

ToolRecord finish(Run& run, const Paste& paste) {
  ToolRecord record;
  record.tool = "perftest";
  record.subject = run.subject;
  record.facts = std::move(run.facts);
  set(record.facts, "loopback", loopback(run));
  set(record.facts, "completion_error", run.completion_error);
  record.facts["rows"] = run.rows.size();
  if (!run.unit.empty()) record.facts["unit_printed"] = run.unit;
  if (run.latency)
    describe_latency(run, record.facts);
  else if (run.unit == "Gb/sec" || run.unit == "MB/sec" || run.unit == "MiB/sec")
    describe_bandwidth(run, record.facts);
  record.first_line = run.first;
  record.last_line = run.last;
  record.complete = run.title && run.header && run.closed && !run.cut && !run.rows.empty() && !paste.elided_between(run.first, run.last);
  return record;
}

/// Client and server of one test, pasted together, are one run; so are the halves of interleaved prints.
void join(Run& run, const Run& next) {
  for (const auto& [key, value] : next.facts.as_map()) run.facts[key] = value;
  if (next.header) run.columns = next.columns, run.unit = next.unit, run.latency = next.latency, run.header = true;
  for (const Row& row : next.rows) {
    if (!has_row(run, row)) run.rows.push_back(row);
  }
  run.lids.insert(run.lids.end(), next.lids.begin(), next.lids.end());
  run.gids.insert(run.gids.end(), next.gids.begin(), next.gids.end());
  run.closed = run.closed || next.closed;
  run.cut = run.cut || next.cut;
  if (!run.completion_error) run.completion_error = next.completion_error;
  run.last = next.last;
}

/// The same test seen from the other end, or its other half.
bool belong_together(const Run& one, const Run& other) {
  if (one.subject != other.subject || (one.device != other.device && !one.device.empty() && !other.device.empty())) return false;
  const bool halves = !one.header || !other.header || one.rows.empty() || other.rows.empty();
  return halves || has_row(one, other.rows.back());
}

/// " Failed status 12: wr_id 0 syndrom 0x81" below "Completion with error at client".
bool read_failure(std::string_view line, Run& run) {
  const auto status = integer_after(line, "Failed status ");
  if (status && !run.completion_error) run.completion_error = status;
  if (std::string failure = perftest_failure(line); !failure.empty()) {
    if (!run.facts.find("error")) run.facts["error"] = std::move(failure);
    return true;
  }
  return status.has_value() || contains(line, "Completion with error at ");
}

bool takes(std::string_view line, Run& run) {
  if (rule_line(line)) {
    if (!run.rows.empty()) run.closed = true;
    return true;
  }
  return read_header(line, run) || read_row(line, run) || read_setting(line, run) || read_failure(line, run);
}

std::vector<Run> split_runs(const Paste& paste) {
  std::vector<Run> runs;
  std::string command;  // names a test that failed before it printed its title
  for (const Line& line : paste.lines) {
    if (std::string name = perftest_command(line.text); !name.empty()) command = std::move(name);
    Run fresh;
    if (read_title(line.text, fresh)) {
      fresh.first = fresh.last = line.number;
      runs.push_back(std::move(fresh));
      continue;
    }
    const bool failed = runs.empty() && !perftest_failure(line.text).empty();
    if (runs.empty() && !failed && !has_setting(line.text) && !contains(line.text, "#bytes")) continue;
    if (runs.empty()) runs.emplace_back();
    if (failed) runs.back().subject = command;
    Run& run = runs.back();
    if (!takes(line.text, run)) continue;
    if (run.first == 0) run.first = line.number;
    run.last = line.number;
  }
  return runs;
}

}  // namespace

Records read_perftest(const Paste& paste) {
  std::vector<Run> joined;
  for (Run& run : split_runs(paste)) {
    const auto same = std::find_if(joined.begin(), joined.end(), [&](const Run& other) { return belong_together(other, run); });
    if (same == joined.end())
      joined.push_back(std::move(run));
    else
      join(*same, run);
  }
  Records records;
  for (Run& run : joined) {
    if (run.title || run.header || run.facts.find("error")) records.push_back(finish(run, paste));
  }
  return records;
}

}  // namespace steelyard::evidence
