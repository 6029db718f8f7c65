// gpu-stream of SuperBench: every kernel with several block sizes on every device; the best of all counts.
#include <algorithm>

#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

std::string kernel_key(std::string_view name) {
  if (starts_with(name, "STREAM_COPY_")) return "copy_gb_per_s";
  if (starts_with(name, "STREAM_SCALE_")) return "mul_gb_per_s";
  if (starts_with(name, "STREAM_ADD_")) return "add_gb_per_s";
  return starts_with(name, "STREAM_TRIAD_") ? "triad_gb_per_s" : "";
}

/// Device 0: "NVIDIA Graphics Device"  152 SMs(10.0)  Memory: 4000MHz x 8192-bit = 8192 GB/s PEAK   ECC is ON
void read_device(std::string_view text, Value& facts) {
  facts["gpus"] = (facts.find("gpus") ? facts.find("gpus")->as_int() : 0) + 1;
  if (!facts.find("gpu")) set_text(facts, "gpu", before(after(text, "\"").value_or(""), "\""));
  if (contains(text, "GB/s PEAK")) {
    if (const auto peak = number_after(text, "-bit = ")) facts["peak_gb_per_s"] = *peak;
  }
}

bool read_result(std::string_view text, Value& facts) {
  const std::vector<std::string_view> word = words(text);
  const std::string key = word.empty() ? "" : kernel_key(word[0]);
  if (key.empty() || word.size() < 3) return false;
  const std::optional<double> rate = number(word[1]);
  if (!rate) return false;
  const Value* known = facts.find(key);
  facts[key] = known ? std::max(known->as_number(), *rate) : *rate;
  facts["precision"] = contains(word[0], "_double_") ? "double" : "float";
  return true;
}

}  // namespace

Records read_gpu_stream(const Paste& paste) {
  ToolRecord record;
  std::size_t rows = 0;
  bool heading = false;
  for (const Line& line : paste.lines) {
    const std::string_view text = trim(line.text);
    if (text == "STREAM Benchmark")
      heading = true;
    else if (starts_with(text, "Device ") && contains(text, "SMs(") && contains(text, "\""))
      read_device(text, record.facts);
    else if (read_result(text, record.facts))
      ++rows;
    else
      continue;
    if (record.first_line == 0) record.first_line = line.number;
    record.last_line = line.number;
  }
  if (rows == 0) return {};
  record.tool = "gpu-stream";
  record.subject = "device_memory";
  record.complete =
      heading && record.facts.find("gpus") && record.facts.find("triad_gb_per_s") && !paste.elided_between(record.first_line, record.last_line);
  return {record};
}

}  // namespace steelyard::evidence
