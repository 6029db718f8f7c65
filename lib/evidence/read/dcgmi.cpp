// dcgmi diag (a table whose cells are wrapped inside words) and dcgmi nvlink --link-status.
#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "evidence/dcgm_tests.hpp"
#include "evidence/read/dcgmi_diagnosis.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Row {
  std::string name;
  std::vector<std::string> results;  // "Pass - All", "Fail - GPU: 0"; wrapped text joined
  int line = 0;
};

/// "| name | result |"; false for borders and other text.
bool split_cells(std::string_view line, std::string_view& name, std::string_view& result) {
  const std::string_view text = trim(line);
  if (!starts_with(text, "|") || starts_with(text, "|-") || starts_with(text, "|=")) return false;
  const std::size_t bar = text.find('|', 1);
  if (bar == std::string_view::npos) return false;
  name = trim(text.substr(1, bar - 1));
  result = text.substr(bar + 1);
  const std::size_t end = result.rfind('|');
  if (end != std::string_view::npos) result = result.substr(0, end);
  if (starts_with(result, " ")) result.remove_prefix(1);
  return result.find('|') == std::string_view::npos;
}

/// "GPU0: Pass" of DCGM 4, one line for each GPU below the result of the test; empty where it is none.
std::string gpu_status(std::string_view result) {
  result = trim(result);
  const std::size_t colon = result.find(": ");
  if (!starts_with(result, "GPU") || colon == std::string_view::npos || !integer(trim(result.substr(3, colon - 3)))) return {};
  return status_of(result.substr(colon + 2));
}

/// A continuation line begins a new result where it names a status, else it goes on with the one above: cells are cut inside words,
/// so the trailing blank of a full cell is the only blank there is.
void append(Row& row, std::string_view result) {
  std::string text(result);
  const std::size_t width = text.find_last_not_of(' ');
  if ((!status_of(trim(text)).empty() && contains(text, " - ")) || !gpu_status(text).empty()) {
    row.results.emplace_back(trim(text));
    return;
  }
  if (row.results.empty()) row.results.emplace_back();
  row.results.back() += text.substr(0, width == std::string::npos ? 0 : width + 1);
}

/// GPU numbers behind "GPU", "GPU:", "GPUs:": "Fail - GPUs: 0, 3".
void add_gpus(std::string_view text, std::set<std::int64_t>& gpus) {
  for (std::size_t at = text.find("GPU"); at != std::string_view::npos; at = text.find("GPU", at + 3)) {
    std::string_view rest = text.substr(at + 3);
    while (!rest.empty() && (rest[0] == 's' || rest[0] == ':' || rest[0] == ' ')) rest.remove_prefix(1);
    while (const auto number = leading_integer(rest)) {
      gpus.insert(*number);
      const std::size_t comma = rest.find(',');
      if (comma == std::string_view::npos || rest.substr(0, comma).find_first_not_of("0123456789 ") != std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
}

void judge_row(const Row& row, Diagnosis& diagnosis) {
  const std::string name = to_lower(row.name);
  const std::string key(starts_with(name, "error") || starts_with(name, "warning") || starts_with(name, "info") ? before(name, ":")
                                                                                                                : name);  // "Warning: GPU1" of DCGM 4
  if (row.results.empty()) return;
  if (key == "error") {
    add_gpus(row.name, diagnosis.failed_gpus);
    for (const std::string& result : row.results) add_gpus(result, diagnosis.failed_gpus);
    if (diagnosis.error.empty()) diagnosis.error = row.results.front();
    return;
  }
  if (key == "warning" || key == "info") {
    if (key == "warning" && diagnosis.warning.empty()) diagnosis.warning = row.results.front();
    return;
  }
  if (key == "dcgm version") diagnosis.version = trim(row.results.front());
  if (starts_with(key, "driver version")) diagnosis.driver = row.results.front();
  if (starts_with(key, "gpu device ids")) diagnosis.gpus = split(row.results.front(), ',').size();
  for (const std::string& result : row.results) {
    const std::string of_gpu = gpu_status(result), status = of_gpu.empty() ? status_of(result) : of_gpu;
    if (status.empty()) continue;
    add_status(diagnosis, key, status);
    add_gpus(result, diagnosis.named_gpus);
    if (status == "fail" || status == "error") add_gpus(result, diagnosis.failed_gpus);
  }
}

bool diag_mark(std::string_view text) {
  for (const std::string_view word :
       {"-----  Deployment", "-----  Integration", "-----  Hardware", "-----  Stress", "-----  Metadata", "Successfully ran diagnostic"}) {
    if (contains(text, word)) return true;
  }
  return false;
}

}  // namespace

Records read_dcgmi_diag(const Paste& paste) {
  std::vector<Row> rows;
  ToolRecord record;
  bool marked = false, heading = false, closed = false;
  std::size_t width = 0;  // of the border below the heading; the last one has it too, those of sections carry a name
  for (const Line& line : paste.lines) {
    const std::string_view text = trim(line.text);
    if (diag_mark(text)) marked = true;
    if (closed && !contains(text, "Diagnostic")) continue;  // tables of other tools may follow
    if (starts_with(text, "+=")) width = text.size();
    if (starts_with(text, "+-") && !rows.empty()) closed = text.find_first_not_of("+-") == std::string_view::npos && text.size() >= width;
    std::string_view name, result;
    if (!split_cells(line.text, name, result)) continue;
    if (name == "Diagnostic" && trim(result) == "Result") {
      heading = true;
      closed = false;
      continue;
    }
    if (!name.empty() && name.size() < 40) rows.push_back({std::string(name), {}, line.number});
    if (rows.empty()) continue;
    closed = false;
    append(rows.back(), result);
    if (!dcgm_test_looks_at(name).empty() && !status_of(trim(result)).empty()) marked = true;
    if (record.first_line == 0) record.first_line = line.number;
    record.last_line = line.number;
  }
  if (!marked || rows.empty()) return {};
  Diagnosis diagnosis;
  for (const Row& row : rows) judge_row(row, diagnosis);
  if (diagnosis.tests.empty() && diagnosis.error.empty()) return {};
  record.tool = "dcgmi-diag";
  record.subject = "diag";
  record.tool_version = diagnosis.version;
  record.facts = facts_of(diagnosis);
  record.complete = heading && closed && !diagnosis.tests.empty() && !paste.elided_between(record.first_line, record.last_line + 1);
  return {record};
}

Records read_dcgmi_nvlink(const Paste& paste) {
  ToolRecord record;
  std::int64_t gpus = 0, up = 0, down = 0;
  bool heading = false, in_gpus = false, ended = false;
  for (const Line& line : paste.lines) {
    const std::string_view text = trim(line.text);
    if (contains(text, "NvLink Link Status"))
      heading = true;
    else if (starts_with(text, "gpuId "))
      ++gpus, in_gpus = true;
    else if (starts_with(text, "NvSwitches") || starts_with(text, "physicalId") || starts_with(text, "Key:"))
      ended = true, in_gpus = false;
    else if (in_gpus && !text.empty() && text.find_first_not_of("UDX_ ") == std::string_view::npos) {
      up += std::count(text.begin(), text.end(), 'U');
      down += std::count(text.begin(), text.end(), 'D');
    } else
      continue;
    if (record.first_line == 0) record.first_line = line.number;
    record.last_line = line.number;
  }
  if (gpus == 0 || up + down == 0) return {};
  record.tool = "dcgmi-nvlink";
  record.subject = "links";
  record.facts["gpus"] = gpus;
  record.facts["links_up"] = up;
  record.facts["links_down"] = down;
  record.complete = heading && ended && !paste.elided_between(record.first_line, record.last_line + 1);
  return {record};
}

}  // namespace steelyard::evidence
