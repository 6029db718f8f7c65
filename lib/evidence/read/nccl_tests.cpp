// Text tables of nccl-tests and rccl-tests: with and without reduction and root columns, "error" or "#wrong", any launcher.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.hpp"
#include "evidence/read/nccl_curve.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Run {
  NcclCurve curve;
  Value facts = Value::map();
  std::map<std::int64_t, NcclDevice> devices;  // by rank: a program built without MPI prints rank 0 once for each process
  std::string version;
  std::string command_name;  // "all_reduce_perf" seen in a command line
  bool rccl = false, settings = false, columns = false, footer = false, wrong_column = true;
  int sides = 2;
  int first = 0, last = 0;

  bool started() const { return settings || columns || !curve.rows.empty() || !devices.empty(); }
  void touch(int line) {
    if (first == 0) first = line;
    last = line;
  }
};

/// "383.24"; a single rank is so fast that printf writes "1.3e+06".
std::optional<double> rate(std::string_view word) {
  const std::size_t power = word.find("e+");
  const auto mantissa = number(word.substr(0, power));
  if (!mantissa || power == std::string_view::npos) return mantissa;
  const auto exponent = integer(word.substr(power + 2));
  return exponent && *exponent < 16 ? std::optional(*mantissa * std::pow(10.0, static_cast<double>(*exponent))) : std::nullopt;
}

/// "0" or "2e+05", absent for "N/A" and for "5e-07" (the old error column: a relative error, which is no count); `broken` where it is neither.
std::optional<double> wrong_value(std::string_view word, bool& broken) {
  if (equal_ci(word, "N/A")) return std::nullopt;
  const bool relative = contains(word, "e-");
  const std::optional<double> value = relative ? number(before(word, "e")) : rate(word);
  if (!value) broken = true;
  return relative && value != 0 ? std::nullopt : value;
}

/// time, algbw, busbw, wrong; nothing where a word is no number (a cut row) or where the placement was not run ("N/A").
std::optional<NcclPlacement> placement(const std::string_view* word, bool count_wrong, bool& broken) {
  if (equal_ci(word[0], "N/A")) return std::nullopt;
  const std::optional<double> time = number(word[0]), algorithm = rate(word[1]), bus = number(word[2]);
  if (!time || *time <= 0 || !algorithm || !bus || contains(word[2], "-")) {  // a root in the place of the time: the row lost its last column
    broken = true;
    return std::nullopt;
  }
  const std::optional<double> wrong = wrong_value(word[3], broken);
  return NcclPlacement{*time, *algorithm, *bus, count_wrong ? wrong : std::nullopt};
}

bool type_word(std::string_view word) { return word.size() >= 3 && ((word[0] >= 'a' && word[0] <= 'z') || (word[0] >= 'A' && word[0] <= 'Z')); }

/// Reduction and root stand between the type and the measured columns; either may be blank or missing.
bool read_middle(NcclRow& row, const std::vector<std::string_view>& word, std::size_t end) {
  for (std::size_t at = 3; at < end; ++at) {
    if (const auto root = integer(word[at]))
      row.root = root;
    else if (row.reduction.empty() && type_word(word[at]))
      row.reduction = word[at];
    else
      return false;
  }
  return true;
}

std::optional<NcclRow> read_row(std::string_view line, int sides, bool count_wrong) {
  const std::vector<std::string_view> word = words(line);
  const std::size_t measured = static_cast<std::size_t>(sides) * 4;
  if (word.size() < 3 + measured || word.size() > 5 + measured || !type_word(word[2])) return std::nullopt;
  const std::optional<std::int64_t> bytes = integer(word[0]), count = integer(word[1]);
  NcclRow row;
  if (!bytes || !count || *bytes < 0 || !read_middle(row, word, word.size() - measured)) return std::nullopt;
  row.bytes = *bytes;
  row.count = *count;
  bool broken = false;
  row.out_of_place = placement(&word[word.size() - measured], count_wrong, broken);
  if (sides == 2) row.in_place = placement(&word[word.size() - 4], count_wrong, broken);
  if (broken || (!row.out_of_place && !row.in_place)) return std::nullopt;
  return row;
}

/// "Rank  0 Group  0 Pid 3617715 on    node-a device  0 [0009:01:00] NVIDIA GH200 120GB"
bool read_device(std::string_view line, Run& run) {
  const std::optional<std::int64_t> rank = integer_after(line, "Rank ");
  const std::optional<std::string_view> host = word_after(line, " on ");
  const std::optional<std::string_view> rest = after(line, " device ");
  if (!rank || !host || !rest || !contains(line, " Pid ")) return false;
  const std::optional<std::string_view> name = after(*rest, "] ");
  if (!name || name->empty()) return false;
  run.devices[*rank] = {std::string(*host), std::string(before(after(*rest, "[").value_or(""), "]")), std::string(*name)};
  return true;
}

bool read_settings(std::string_view line, Run& run) {
  if (contains(line, "nThread ") && contains(line, "nGpus ")) {
    run.settings = true;
    set(run.facts, "iterations", integer_after(line, " iters: "));
    if (contains(line, "warmup iters: ")) set(run.facts, "iterations", integer_after(after(line, "warmup iters: ").value_or(""), " iters: "));
    return true;
  }
  for (const std::string_view tool : {"nccl-tests version ", "rccl-tests version ", "rccl-tests: Version "}) {
    if (const auto version = word_after(line, tool)) {
      run.version = *version;
      run.rccl = starts_with(tool, "rccl");
      run.settings = true;
      if (const auto code = integer_after(line, "nccl-library=")) run.facts["nccl_version"] = nccl_version(*code);
      return true;
    }
  }
  if (const auto name = word_after(line, "Collective test starting: ")) {
    run.curve.collective = collective_name(*name);
    run.settings = true;
    return true;
  }
  return false;
}

bool read_columns(std::string_view line, Run& run) {
  if (!contains(line, "busbw") || !contains(line, "algbw")) return false;
  run.columns = true;
  run.curve.reduction_column = contains(line, "redop");
  run.curve.root_column = contains(line, " root");
  run.wrong_column = contains(line, "#wrong") || !contains(line, "error");
  run.sides = line.find("busbw") == line.rfind("busbw") ? 1 : 2;
  return true;
}

bool read_footer(std::string_view line, Run& run) {
  if (const auto values = integer_after(line, "Out of bounds values : ")) {
    run.facts["out_of_bounds_values"] = *values;
    return true;
  }
  if (contains(line, "Errors with asterisks indicate errors")) return run.rccl = true;  // only rccl-tests writes it
  if (!contains(line, "Avg bus bandwidth")) return false;
  if (const auto average = number_after(line, ":")) {
    run.facts["avg_busbw_gb_per_s"] = *average;
    run.footer = true;
  }
  return true;
}

/// Lines that belong to a run only where one has begun: library version, ranks, failures.
bool read_extras(std::string_view line, Run& run) {
  if (const auto version = after(line, "NCCL version ")) {
    set_text(run.facts, "nccl_version", version_prefix(*version));
    run.rccl = run.rccl || contains(line, "RCCL version");
  }
  if (const auto ranks = integer_after(line, "nranks ")) run.curve.log_ranks = *ranks;
  for (const std::string_view mark : {"Test CUDA failure", "Test NCCL failure", "Test failure", "NCCL failure"}) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) continue;
    if (!run.facts.find("error")) run.facts["error"] = Value(trim(line.substr(at)));
    return run.started();
  }
  return false;
}

void read_command(std::string_view line, Run& run) {
  if (!contains(line, "_perf")) return;
  for (std::string_view word : words(line)) {
    if (const std::size_t slash = word.rfind('/'); slash != std::string_view::npos) word.remove_prefix(slash + 1);
    const std::size_t end = word.find("_perf");
    if (end == std::string_view::npos) continue;
    if (std::string name = collective_name(word.substr(0, end)); !name.empty()) run.command_name = std::move(name);
  }
}

bool begins_new_run(std::string_view line, const Run& run) {
  if (run.curve.rows.empty() && !run.footer) return false;
  const bool settings = (contains(line, "nThread ") && contains(line, "nGpus ")) || contains(line, "ccl-tests version ");
  return settings || (contains(line, "busbw") && contains(line, "algbw") && run.footer);
}

ToolRecord finish(Run run, const Paste& paste) {
  ToolRecord record;
  record.tool = run.rccl ? "rccl-tests" : "nccl-tests";
  record.tool_version = run.version;
  record.facts = std::move(run.facts);
  for (auto& [rank, device] : run.devices) run.curve.devices.push_back(device);
  // A list with gaps was shortened by whoever pasted it.
  run.curve.devices_are_all_ranks = run.devices.empty() || run.devices.rbegin()->first + 1 == static_cast<std::int64_t>(run.devices.size());
  if (run.curve.collective.empty()) run.curve.collective = run.command_name;
  record.subject = describe_curve(run.curve, record.facts);
  record.first_line = run.first;
  record.last_line = run.last;
  record.complete = run.columns && run.footer && !run.curve.rows.empty() && !paste.elided_between(run.first, run.last);
  return record;
}

}  // namespace

Records read_nccl_tests(const Paste& paste) {
  Records records;
  Run run;
  for (const Line& line : paste.lines) {
    if (begins_new_run(line.text, run)) {
      records.push_back(finish(std::move(run), paste));
      run = Run{};
    }
    read_command(line.text, run);
    bool mine = read_settings(line.text, run) || read_columns(line.text, run) || read_device(line.text, run);
    if (!mine && run.started()) mine = read_footer(line.text, run);
    if (!mine) mine = read_extras(line.text, run);
    if (auto row = mine ? std::nullopt : read_row(line.text, run.sides, run.wrong_column)) {
      run.curve.rows.push_back(std::move(*row));
      mine = true;
    }
    if (mine) run.touch(line.number);
  }
  if (run.started()) records.push_back(finish(std::move(run), paste));
  return records;
}

}  // namespace steelyard::evidence
