// p2pBandwidthLatencyTest of the CUDA samples. Two matrices with nearly the same title follow each other: P2P off, then on.
#include <array>

#include "core/text.hpp"
#include "evidence/read/matrix.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Part {
  std::string key;  // "unidirectional_p2p_off" "latency_p2p_on" "connectivity"
  NumberMatrix matrix;
};

struct Report {
  std::vector<Part> parts;
  std::int64_t devices = 0, can = 0, cannot = 0;
  std::string gpu;
  int first = 0, last = 0;
};

std::string part_key(std::string_view line) {
  if (contains(line, "P2P Connectivity Matrix")) return "connectivity";
  if (!contains(line, "Matrix (")) return {};
  std::string kind;
  if (contains(line, "Unidirectional"))
    kind = "unidirectional";
  else if (contains(line, "Bidirectional"))
    kind = "bidirectional";
  else if (contains(line, "Latency"))
    kind = "latency";
  else
    return {};
  if (contains(line, "P2P=Disabled")) return kind + "_p2p_off";
  return contains(line, "P2P=Enabled") ? kind + "_p2p_on" : "";
}

bool read_device(std::string_view text, Report& report) {
  if (starts_with(text, "Device: ") && contains(text, ", pciBusID")) {
    ++report.devices;
    if (report.gpu.empty()) report.gpu = trim(before(after(text, ", ").value_or(""), ", pciBusID"));
    return true;
  }
  if (contains(text, "CAN Access Peer Device")) return ++report.can, true;
  return contains(text, "CANNOT Access Peer Device") ? (++report.cannot, true) : false;
}

bool read_line(std::string_view text, Report& report) {
  if (read_device(text, report)) return true;
  if (std::string key = part_key(text); !key.empty()) {
    report.parts.push_back({std::move(key), {}});
    return true;
  }
  if (report.parts.empty()) return false;
  const bool labelled = starts_with(text, "D\\D") || starts_with(text, "GPU") || starts_with(text, "CPU");
  if (const std::size_t columns = matrix_heading(text); columns > 0 && (labelled || report.parts.back().matrix.columns == 0)) {
    // A second matrix without a title of its own follows each latency matrix: what the host sees.
    if (starts_with(text, "CPU") || report.parts.back().matrix.columns > 0) report.parts.push_back({});
    report.parts.back().matrix.columns = columns;
    return true;
  }
  Part& part = report.parts.back();
  return part.matrix.columns > 0 && read_matrix_row(text, part.key == "connectivity" ? 0 : 2, part.matrix);
}

void set_range(const Part& part, Value& facts) {
  const std::string unit = starts_with(part.key, "latency") ? "_us" : "_gb_per_s";
  const NumberMatrix::Range range = part.matrix.off_diagonal();
  set(facts, part.key + "_min" + unit, range.least);
  set(facts, part.key + "_max" + unit, range.most);
}

std::string peer_access(const Report& report, const NumberMatrix* connectivity) {
  std::int64_t yes = report.can, no = report.cannot;
  if (connectivity != nullptr && yes + no == 0) {
    for (std::size_t row = 0; row < connectivity->rows.size(); ++row) {
      for (std::size_t column = 0; column < connectivity->rows[row].size(); ++column) {
        if (row != column && connectivity->rows[row][column]) ++(*connectivity->rows[row][column] > 0 ? yes : no);
      }
    }
  }
  if (yes + no == 0) return {};
  return no == 0 ? "all" : yes == 0 ? "none" : "some";
}

}  // namespace

Records read_p2p_bandwidth(const Paste& paste) {
  Report report;
  for (const Line& line : paste.lines) {
    if (!read_line(trim(line.text), report)) continue;
    if (report.first == 0) report.first = line.number;
    report.last = line.number;
  }
  if (report.parts.empty() && report.can + report.cannot == 0) return {};
  ToolRecord record;
  record.tool = "p2pBandwidthLatencyTest";
  record.subject = "matrix";
  const NumberMatrix* connectivity = nullptr;
  NumberMatrix::Range local;
  bool cut = false, latency = false;
  std::size_t width = 0;
  for (const Part& part : report.parts) {
    width = std::max(width, part.matrix.columns);
    cut = cut || part.matrix.cut || part.matrix.rows.size() < part.matrix.columns;
    if (part.key == "connectivity") connectivity = &part.matrix;
    if (part.key.empty() || part.key == "connectivity") continue;
    set_range(part, record.facts);
    latency = latency || part.key == "latency_p2p_on";
    if (starts_with(part.key, "latency")) continue;
    if (const auto range = part.matrix.diagonal(); range.least) local.add(*range.least), local.add(*range.most);
  }
  record.facts["gpus"] = report.devices > 0 ? static_cast<std::size_t>(report.devices) : width;
  if (report.devices == 0 && width == 0) record.facts = Value::map();
  set_text(record.facts, "gpu", report.gpu);
  set_text(record.facts, "peer_access", peer_access(report, connectivity));
  set(record.facts, "local_min_gb_per_s", local.least);
  set(record.facts, "local_max_gb_per_s", local.most);
  record.first_line = report.first;
  record.last_line = report.last;
  record.complete = latency && !cut && !paste.elided_between(report.first, report.last);
  return {record};
}

}  // namespace steelyard::evidence
