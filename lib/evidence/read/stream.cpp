// STREAM of the host memory. "MB/s" are 1e6 bytes/s.
#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

bool read_kernel(std::string_view text, Value& facts) {
  for (const std::string_view kernel : {"Copy:", "Scale:", "Add:", "Triad:"}) {
    if (!starts_with(text, kernel)) continue;
    const std::vector<std::string_view> word = words(text);
    const std::optional<double> rate = word.size() >= 5 ? number(word[1]) : std::nullopt;
    if (!rate) return false;
    facts[to_lower(kernel.substr(0, kernel.size() - 1)) + "_gb_per_s"] = *rate / 1000;
    return true;
  }
  return false;
}

}  // namespace

Records read_stream(const Paste& paste) {
  ToolRecord record;
  bool heading = false, table = false, validated = false;
  for (const Line& line : paste.lines) {
    const std::string_view text = trim(line.text);
    bool mine = true;
    if (starts_with(text, "STREAM version"))
      heading = true, record.tool_version = version_prefix(word_after(text, "Revision: ").value_or(""));
    else if (const auto counted = integer_after(text, "Number of Threads counted ="))
      record.facts["threads"] = *counted;
    else if (const auto asked = integer_after(text, "Number of Threads requested ="))
      record.facts["threads"] = *asked;
    else if (starts_with(text, "Function") && contains(text, "Rate") && contains(text, "MB/s"))
      table = true;
    else if (contains(text, "Solution Validates"))
      validated = true;
    else if (contains(text, "Failed Validation"))
      record.facts["validation_failed"] = true;
    else
      mine = table && read_kernel(text, record.facts);
    if (!mine) continue;
    if (record.first_line == 0) record.first_line = line.number;
    record.last_line = line.number;
  }
  if (!table && !heading) return {};
  record.tool = "stream";
  record.subject = "host_memory";
  record.complete = heading && table && record.facts.find("triad_gb_per_s") && (validated || record.facts.find("validation_failed"));
  return {record};
}

}  // namespace steelyard::evidence
