// BabelStream, text and CSV. "MBytes/sec" are 1e6 bytes/s, "MiBytes/sec" 2^20.
#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Report {
  std::string version, precision, gpu;
  Value facts = Value::map();
  double gb_per_printed = 1e-3;
  bool heading = false, table = false, csv = false, invalid = false;
  int kernels = 0, first = 0, last = 0;
};

bool read_heading(std::string_view text, Report& report) {
  if (text == "BabelStream") return report.heading = true;
  if (!report.heading) return false;
  if (starts_with(text, "Version:"))
    report.version = word_after(text, "Version:").value_or("");
  else if (starts_with(text, "Precision:"))
    report.precision = word_after(text, "Precision:").value_or("");
  else if (starts_with(text, "Using ") && contains(text, " device "))
    report.gpu = after(text, " device ").value_or("");
  else if (starts_with(text, "Implementation:") || starts_with(text, "Array size:") || starts_with(text, "Driver:"))
    return true;
  else
    return false;
  return true;
}

bool read_columns(std::string_view text, Report& report) {
  report.csv = starts_with(text, "function,num_times");
  const bool columns = starts_with(text, "Function") && contains(text, "ytes/sec");
  if (!report.csv && !columns) return false;
  if (contains_ci(text, "mibytes")) report.gb_per_printed = 1.048576e-3;
  return report.table = true;
}

bool read_kernel(std::string_view text, Report& report) {
  static constexpr std::string_view kernels[] = {"Copy", "Mul", "Add", "Triad", "Dot", "Nstream"};
  for (const std::string_view kernel : kernels) {
    if (!starts_with(text, kernel)) continue;
    std::optional<double> rate;
    if (report.csv) {
      const std::vector<std::string> cells = split(text, ',');
      if (cells.size() >= 8) rate = number(cells[4]);
    } else if (const std::vector<std::string_view> word = words(text); word.size() >= 5) {
      rate = number(word[1]);
    }
    if (!rate) return false;
    report.facts[to_lower(kernel) + "_gb_per_s"] = *rate * report.gb_per_printed;
    return ++report.kernels > 0;
  }
  return false;
}

}  // namespace

Records read_babelstream(const Paste& paste) {
  Report report;
  for (const Line& line : paste.lines) {
    const std::string_view text = trim(line.text);
    bool mine = read_heading(text, report);
    if (!mine && !report.table)
      mine = read_columns(text, report);
    else if (!mine && report.table)
      mine = read_kernel(text, report);
    if (report.table && contains(text, "Validation failed")) mine = report.invalid = true;
    if (!mine) continue;
    if (report.first == 0) report.first = line.number;
    report.last = line.number;
  }
  if (!report.table && !report.heading) return {};
  ToolRecord record;
  record.tool = "babelstream";
  record.tool_version = report.version;
  record.subject = "device_memory";
  record.facts = std::move(report.facts);
  set_text(record.facts, "gpu", report.gpu);
  set_text(record.facts, "precision", report.precision);
  if (!report.gpu.empty()) record.facts["gpus"] = 1;
  if (report.table) record.facts["validation_failed"] = report.invalid;
  record.first_line = report.first;
  record.last_line = report.last;
  record.complete = report.heading && report.kernels >= 5 && !paste.elided_between(report.first, report.last);
  return {record};
}

}  // namespace steelyard::evidence
