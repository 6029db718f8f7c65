// The table of nvidia-smi, its list form (-L) and what it says instead of a table.
#include <algorithm>

#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Gpu {
  std::string name;  // empty where the table cut it ("NVIDIA A100-PCI...")
  std::optional<std::int64_t> memory_mib, ecc_uncorrected;
  std::optional<double> power_cap_w;
  std::optional<bool> mig;
  std::string compute_mode;
  bool measured = false, closed = false;
};

struct Table {
  std::string driver, cuda, error;
  std::vector<Gpu> gpus;
  std::vector<std::string> sensor_errors;
  bool heading = false, in_gpus = false, lost = false, cut = false;  // cut: the last line of the frame is open
  int first = 0, last = 0;
};

std::vector<std::string_view> cells(std::string_view line) {
  std::vector<std::string_view> found;
  line = trim(line);
  if (!starts_with(line, "|")) return found;
  line.remove_prefix(1);
  while (!line.empty()) {
    const std::size_t bar = line.find('|');
    if (bar == std::string_view::npos) break;
    found.push_back(trim(line.substr(0, bar)));
    line.remove_prefix(bar + 1);
  }
  return found;
}

bool border(std::string_view line) {
  const std::string_view text = trim(line);
  return starts_with(text, "+-") || starts_with(text, "|=") || starts_with(text, "|--");
}

void read_heading(std::string_view line, Table& table) {
  if (const auto driver = word_after(line, "Driver Version:")) {
    table.driver = version_prefix(*driver);
    table.cuda = version_prefix(word_after(line, "CUDA Version:").value_or(""));
    table.heading = true;
  }
}

/// "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |"
bool begins_gpu(const std::vector<std::string_view>& cell) {
  if (cell.size() < 2 || !contains(cell[1], ":") || !contains(cell[1], ".")) return false;
  const std::vector<std::string_view> first = words(cell[0]);
  return first.size() >= 2 && integer(first[0]).has_value();
}

void read_name(const std::vector<std::string_view>& cell, Gpu& gpu) {
  std::vector<std::string_view> word = words(cell[0]);
  if (word.back() == "On" || word.back() == "Off" || word.back() == "WDDM" || word.back() == "TCC" || word.back() == "N/A" || word.back() == "MCDM")
    word.pop_back();
  if (word.size() < 2 || ends_with(word.back(), "...")) return;
  gpu.name = std::string(word[1].data(), static_cast<std::size_t>(word.back().data() - word[1].data()) + word.back().size());
}

/// "| N/A   27C    P0             72W /  700W |       1MiB /  81559MiB |      0%      Default |"
void read_measurements(const std::vector<std::string_view>& cell, Gpu& gpu, Table& table) {
  const std::vector<std::string_view> word = words(cell[0]);
  const auto failed = [&](std::size_t at) { return at < word.size() && (starts_with(word[at], "ERR") || starts_with(word[at], "[Unknown")); };
  if (failed(0)) table.sensor_errors.push_back("fan");
  if (failed(1)) table.sensor_errors.push_back("temperature");
  const bool power_failed = failed(3) || contains(after(cell[0], "/").value_or(""), "ERR");
  if (power_failed) table.sensor_errors.push_back("power");
  if (const std::size_t slash = cell[0].rfind('/'); slash != std::string_view::npos && slash > 3)
    gpu.power_cap_w = leading_number(cell[0].substr(slash + 1));
  if (const auto total = after(cell[1], "/")) gpu.memory_mib = leading_integer(*total);
  if (cell.size() < 3) return;
  const std::size_t percent = cell[2].find('%');
  const std::string_view mode = trim(percent == std::string_view::npos ? after(cell[2], "N/A").value_or("") : cell[2].substr(percent + 1));
  gpu.compute_mode = mode;
  gpu.measured = true;
}

void read_gpu_line(std::string_view line, Table& table) {
  const std::vector<std::string_view> cell = cells(line);
  if (begins_gpu(cell)) {
    table.gpus.push_back({});
    table.in_gpus = true;
    read_name(cell, table.gpus.back());
    if (cell.size() > 2) table.gpus.back().ecc_uncorrected = integer(cell[2]);
    return;
  }
  if (!table.in_gpus || cell.size() < 2 || table.gpus.empty() || table.gpus.back().closed) return;
  Gpu& gpu = table.gpus.back();
  if (contains(cell[1], "MiB /"))
    read_measurements(cell, gpu, table);
  else if (cell.size() > 2 && gpu.measured && (cell[2] == "Enabled" || starts_with(cell[2], "Disabled")))
    gpu.mig = cell[2] == "Enabled";
}

/// What is printed instead of a table.
bool read_failure(std::string_view line, Table& table) {
  for (const std::string_view mark :
       {"NVIDIA-SMI has failed", "Failed to initialize NVML", "Unable to determine the device handle", "No devices were found"}) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos) continue;
    if (table.error.empty()) table.error = trim(line.substr(at));
    table.lost = table.lost || starts_with(mark, "Unable to determine");
    return true;
  }
  return false;
}

template <class T>
std::optional<T> first_known(const std::vector<Gpu>& gpus, std::optional<T> Gpu::*field) {
  for (const Gpu& gpu : gpus) {
    if (gpu.*field) return gpu.*field;
  }
  return std::nullopt;
}

Value facts_of(const Table& table) {
  Value facts = Value::map();
  set_text(facts, "driver", table.driver);
  set_text(facts, "cuda", table.cuda);
  if (!table.gpus.empty()) facts["gpus"] = table.gpus.size();
  for (const Gpu& gpu : table.gpus) {
    if (!facts.find("gpu")) set_text(facts, "gpu", gpu.name);
    if (!facts.find("compute_mode")) set_text(facts, "compute_mode", gpu.compute_mode);
  }
  set(facts, "memory_mib", first_known(table.gpus, &Gpu::memory_mib));
  set(facts, "power_cap_w", first_known(table.gpus, &Gpu::power_cap_w));
  if (std::optional<bool> mig = first_known(table.gpus, &Gpu::mig)) {
    for (const Gpu& gpu : table.gpus) mig = *mig || gpu.mig.value_or(false);
    facts["mig"] = *mig;  // of any GPU
  }
  std::optional<std::int64_t> ecc;
  for (const Gpu& gpu : table.gpus) {
    if (gpu.ecc_uncorrected) ecc = ecc.value_or(0) + *gpu.ecc_uncorrected;
  }
  set(facts, "ecc_uncorrected", ecc);
  if (!table.sensor_errors.empty()) {
    Value errors = Value::list();
    for (const std::string& sensor : table.sensor_errors) {
      const auto& known = errors.as_list();
      if (std::find(known.begin(), known.end(), Value(sensor)) == known.end()) errors.push_back(sensor);
    }
    facts["sensor_errors"] = std::move(errors);
  }
  set_text(facts, "error", table.error);
  return facts;
}

Records finish(const Table& table, const Paste& paste) {
  if (!table.heading && table.gpus.empty() && table.error.empty()) return {};
  ToolRecord record;
  record.tool = "nvidia-smi";
  record.subject = "gpus";
  record.tool_version = {};
  record.facts = facts_of(table);
  record.first_line = table.first;
  record.last_line = table.last;
  const bool all_closed = std::all_of(table.gpus.begin(), table.gpus.end(), [](const Gpu& gpu) { return gpu.closed && gpu.measured; });
  record.complete = table.heading && !table.cut && !table.gpus.empty() && all_closed && !paste.elided_between(table.first, table.last + 1);
  return {record};
}

/// "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-...)" lines that no other tool owns (nvlink -s and gpu-burn print the same).
Records read_list(const Paste& paste) {
  ToolRecord record;
  std::int64_t gpus = 0;
  for (const Line& line : paste.lines) {
    for (const std::string_view other : {"Gflop/s", "gpu_burn", "Initialized device", "Tested ", "NVML:"}) {
      if (contains(line.text, other)) return {};
    }
    const std::string_view text = trim(line.text);
    if (starts_with(text, "Link ") && leading_integer(text.substr(5))) return {};
    if (!starts_with(text, "GPU ") || !contains(text, "(UUID: ") || !integer_after(text, "GPU ")) continue;
    ++gpus;
    if (!record.facts.find("gpu")) set_text(record.facts, "gpu", trim(before(after(text, ": ").value_or(""), "(UUID")));
    if (record.first_line == 0) record.first_line = line.number;
    record.last_line = line.number;
  }
  if (gpus == 0) return {};
  record.tool = "nvidia-smi";
  record.subject = "gpus";
  record.facts["gpus"] = gpus;
  record.complete = !paste.elided_between(record.first_line, record.last_line + 1);
  return {record};
}

}  // namespace

Records read_nvidia_smi(const Paste& paste) {
  Table table;
  for (const Line& line : paste.lines) {
    const bool framed = starts_with(trim(line.text), "|") || starts_with(trim(line.text), "+");
    const bool heading = contains(line.text, "NVIDIA-SMI") && contains(line.text, "Driver Version:");
    if (heading)
      read_heading(line.text, table);
    else if (border(line.text) && !table.gpus.empty() && starts_with(trim(line.text), "+"))
      table.gpus.back().closed = true;
    else if (framed && contains(line.text, "Processes:"))
      table.in_gpus = false;
    else if (framed)
      read_gpu_line(line.text, table);
    else if (!read_failure(line.text, table))
      continue;
    if (!framed && !heading && table.error.empty()) continue;
    if (!table.heading && table.gpus.empty() && table.error.empty()) continue;
    if (table.first == 0) table.first = line.number;
    table.last = line.number;
    table.cut = framed && !ends_with(trim(line.text), "|") && !ends_with(trim(line.text), "+");
  }
  Records records = finish(table, paste);
  return records.empty() ? read_list(paste) : records;
}

}  // namespace steelyard::evidence
