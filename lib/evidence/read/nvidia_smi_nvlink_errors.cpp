// nvidia-smi nvlink -e: error counters of every link since the driver was loaded.
#include <algorithm>

#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Counters {
  std::int64_t gpus = 0, links = 0;
  std::optional<std::int64_t> replay, recovery, crc, failed_recoveries;
  int first = 0, last = 0;
};

void add(std::optional<std::int64_t>& sum, std::int64_t count) { sum = sum.value_or(0) + std::min<std::int64_t>(count, 1'000'000'000'000); }

/// "Link 0: Replay Errors: 0", of Blackwell "Link 0: Link recovery failed events: 0".
bool read_counter(std::string_view text, Counters& counters) {
  if (!starts_with(text, "Link ") || !integer_after(text, "Link ")) return false;
  const std::string_view entry = after(text, ": ").value_or("");
  const std::size_t colon = entry.rfind(": ");
  const auto count = colon == std::string_view::npos ? std::nullopt : integer(trim(entry.substr(colon + 2)));
  if (!count) return false;
  const std::string_view name = trim(entry.substr(0, colon));
  if (name == "Replay Errors")
    add(counters.replay, *count), ++counters.links;
  else if (name == "Recovery Errors")
    add(counters.recovery, *count);
  else if (name == "CRC Errors")
    add(counters.crc, *count);
  else if (name == "Link recovery failed events")
    add(counters.failed_recoveries, *count), ++counters.links;
  else
    return contains(name, "Errors") || contains(name, "events") || contains(name, "ackets");
  return true;
}

}  // namespace

Records read_nvidia_smi_nvlink_errors(const Paste& paste) {
  Counters counters;
  std::int64_t headings = 0;
  for (const Line& line : paste.lines) {
    const std::string_view text = trim(line.text);
    if (starts_with(text, "GPU ") && contains(text, "(UUID:")) {
      headings = 1;
      continue;
    }
    if (!read_counter(text, counters)) continue;
    counters.gpus += headings;  // headings of other listings have no counters below them
    headings = 0;
    if (counters.first == 0) counters.first = line.number;
    counters.last = line.number;
  }
  if (counters.links == 0) return {};
  ToolRecord record;
  record.tool = "nvidia-smi-nvlink-errors";
  record.subject = "links";
  if (counters.gpus > 0) record.facts["gpus"] = counters.gpus;
  set(record.facts, "replay_errors", counters.replay);
  set(record.facts, "recovery_errors", counters.recovery);
  set(record.facts, "crc_errors", counters.crc);
  set(record.facts, "failed_recoveries", counters.failed_recoveries);
  record.first_line = counters.first;
  record.last_line = counters.last;
  record.complete = counters.gpus > 0 && !paste.elided_between(counters.first, counters.last + 1);
  return {record};
}

}  // namespace steelyard::evidence
