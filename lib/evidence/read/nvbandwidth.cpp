// nvbandwidth, text form: a record for each test that ran.
#include "core/text.hpp"
#include "evidence/read/matrix.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Test {
  std::string name;
  bool latency = false;  // matrix in ns
  NumberMatrix matrix;
  std::optional<double> sum;
  bool wrong_data = false, waived = false;
  int first = 0, last = 0;
};

struct Report {
  std::string version, driver, cuda, gpu;
  std::int64_t gpus = 0;
  std::vector<Test> tests;
  bool closing_note = false, heading = false;
};

void read_heading(std::string_view line, Report& report) {
  if (const auto version = word_after(line, "nvbandwidth Version: ")) report.version = *version, report.heading = true;
  if (const auto code = integer_after(line, "CUDA Driver Version: ")) report.cuda = cuda_version(*code);
  if (starts_with(line, "Driver Version: ")) report.driver = version_prefix(after(line, "Driver Version: ").value_or(""));
  if (starts_with(line, "Device ") && integer_after(line, "Device ")) {
    ++report.gpus;
    if (report.gpu.empty()) report.gpu = trim(before(after(line, ": ").value_or(""), " ("));
  }
}

/// "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)"
bool matrix_title(std::string_view line) {
  return (contains(line, "(GB/s)") || contains(line, "(ns)")) && contains(line, "(row)") && contains(line, "(column)");
}

bool read_test(std::string_view line, Report& report) {
  if (const auto waived = after(line, "Waiving "); waived && starts_with(line, "Waiving ") && ends_with(line, ".")) {
    report.tests.push_back({});
    report.tests.back().name = waived->substr(0, waived->size() - 1);
    return report.tests.back().waived = true;
  }
  if (starts_with(line, "Running ") && ends_with(line, ".")) {
    report.tests.push_back({});
    report.tests.back().name = line.substr(8, line.size() - 9);
    return true;
  }
  // Where the line "Running ..." was left out, the sum below the matrix names the test.
  if (matrix_title(line) && (report.tests.empty() || report.tests.back().sum || report.tests.back().waived)) report.tests.push_back({});
  if (report.tests.empty()) return false;
  Test& test = report.tests.back();
  if (test.wrong_data || test.waived) return false;  // nothing follows
  if (contains(line, "(GB/s)") || contains(line, "(ns)")) return test.latency = contains(line, "(ns)"), true;
  if (test.matrix.columns == 0 && matrix_heading(line) > 0) return test.matrix.columns = matrix_heading(line), true;
  if (test.matrix.columns > 0 && !test.sum && read_matrix_row(line, 2, test.matrix)) return true;
  if (starts_with(line, "SUM ")) {
    const std::vector<std::string_view> word = words(line);
    if (word.size() == 3 && test.name.empty()) test.name = word[1];
    if (word.size() == 3 && word[1] == test.name && has_decimals(word[2], 2)) test.sum = number(word[2]);
    return true;
  }
  if (contains(line, "Invalid value when checking the pattern")) return test.wrong_data = true;
  return false;
}

ToolRecord record_of(const Test& test, const Report& report) {
  ToolRecord record;
  record.tool = "nvbandwidth";
  record.tool_version = report.version;
  record.subject = test.name;
  set_text(record.facts, "driver", report.driver);
  set_text(record.facts, "cuda", report.cuda);
  if (report.gpus > 0) record.facts["gpus"] = report.gpus;
  set_text(record.facts, "gpu", report.gpu);
  const NumberMatrix::Range range = test.matrix.all();
  const bool latency = test.latency || contains(test.name, "latency");
  set(record.facts, latency ? "min_ns" : "min_gb_per_s", range.least);
  set(record.facts, latency ? "max_ns" : "max_gb_per_s", range.most);
  if (!latency) set(record.facts, "sum_gb_per_s", test.sum);
  if (test.wrong_data) record.facts["data_error"] = true;
  if (test.waived) record.facts["waived"] = true;
  record.first_line = test.first;
  record.last_line = test.last;
  record.complete = report.heading && (test.waived || (!test.matrix.cut && !test.matrix.rows.empty() && test.sum.has_value()));
  return record;
}

}  // namespace

Records read_nvbandwidth(const Paste& paste) {
  Report report;
  for (const Line& line : paste.lines) {
    const std::string_view text = trim(line.text);
    read_heading(text, report);
    if (!read_test(text, report)) continue;
    Test& test = report.tests.back();
    if (test.first == 0) test.first = line.number;
    test.last = line.number;
  }
  Records records;
  for (const Test& test : report.tests) {
    if (test.name.empty()) continue;
    const bool known = report.heading || contains(test.name, "memcpy") || contains(test.name, "latency") || contains(test.name, "local_copy");
    if (known && (!test.matrix.rows.empty() || test.sum || test.wrong_data || test.waived)) records.push_back(record_of(test, report));
  }
  return records;
}

}  // namespace steelyard::evidence
