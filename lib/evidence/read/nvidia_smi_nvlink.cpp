// nvidia-smi nvlink --status: speed or <inactive> of every link of every GPU.
#include <algorithm>
#include <vector>

#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Gpu {
  std::int64_t index = 0, active = 0, inactive = 0;
  bool none = false;  // "all links are inactive", or nothing listed below it
};

struct Status {
  std::vector<Gpu> gpus;
  std::string name;
  std::optional<double> link_gb_per_s;
  Value inactive_links = Value::list();
  bool links = false, broken = false, cut = false;  // broken: a link whose speed was cut
  int first = 0, last = 0;
};

/// "Link 3: 25 GB/s", "Link 3: 26.562 GB/s", "Link 3: <inactive>"; cut speeds are left out.
bool read_link(std::string_view text, Status& status) {
  const auto link = starts_with(text, "Link ") ? integer_after(text, "Link ") : std::nullopt;
  const auto value = after(text, ": ");
  if (!link || !value || status.gpus.empty()) return false;
  if (contains(*value, ": ")) return false;  // a counter of `nvlink -e`
  Gpu& gpu = status.gpus.back();
  if (contains_ci(*value, "inactive")) {
    ++gpu.inactive;
    Value entry = Value::map();
    entry["gpu"] = gpu.index;
    entry["link"] = *link;
    status.inactive_links.push_back(std::move(entry));
    return status.links = true;
  }
  const auto speed = ends_with(*value, "GB/s") ? leading_number(*value) : std::nullopt;
  if (!speed) return status.broken = true;
  ++gpu.active;
  status.link_gb_per_s = std::min(status.link_gb_per_s.value_or(*speed), *speed);
  return status.links = true;
}

/// Other tools list GPUs in the same words: only those with links below them are ours. A text that ends behind a heading was cut.
void drop_bare_headings(const Paste& paste, Status& status) {
  std::vector<std::string_view> ends;  // the last two lines that are not empty
  for (auto line = paste.lines.rbegin(); line != paste.lines.rend() && ends.size() < 2; ++line) {
    if (!trim(line->text).empty()) ends.push_back(trim(line->text));
  }
  const auto part_of = [](std::string_view text, std::string_view word) { return starts_with(text, word) || starts_with(word, text); };
  const bool behind_links = ends.size() == 2 && (starts_with(ends[1], "Link ") || contains_ci(ends[1], "inactive"));
  const bool behind_heading = ends.size() == 2 && starts_with(ends[1], "GPU ");
  status.cut = status.broken || (behind_links && part_of(ends[0], "GPU ")) || (behind_heading && part_of(ends[0], "Link "));
  std::erase_if(status.gpus, [](const Gpu& gpu) { return !gpu.none && gpu.active + gpu.inactive == 0; });
}

bool read_line(std::string_view text, Status& status) {
  if (starts_with(text, "GPU ") && contains(text, "(UUID:") && integer_after(text, "GPU ")) {
    status.gpus.push_back({*integer_after(text, "GPU "), 0, 0, false});
    if (!status.links) status.name = trim(before(after(text, ": ").value_or(""), "(UUID"));
    return true;
  }
  if (contains_ci(text, "all links are inactive") && !status.gpus.empty()) return status.gpus.back().none = status.links = true;
  return read_link(text, status);
}

}  // namespace

Records read_nvidia_smi_nvlink(const Paste& paste) {
  Status status;
  for (const Line& line : paste.lines) {
    if (!read_line(trim(line.text), status)) continue;
    if (status.first == 0) status.first = line.number;
    status.last = line.number;
  }
  if (!status.links) return {};
  drop_bare_headings(paste, status);
  ToolRecord record;
  record.tool = "nvidia-smi-nvlink";
  record.subject = "links";
  std::int64_t active = 0, inactive = 0, most = 0;
  Value without = Value::list();
  bool unequal = false;
  for (const Gpu& gpu : status.gpus) {
    active += gpu.active;
    inactive += gpu.inactive;
    most = std::max(most, gpu.active + gpu.inactive);
    if (gpu.active == 0 && (gpu.none || gpu.inactive > 0)) without.push_back(gpu.index);
    unequal = unequal || (!gpu.none && gpu.active + gpu.inactive != status.gpus.front().active + status.gpus.front().inactive);
  }
  record.facts["gpus"] = status.gpus.size();
  set_text(record.facts, "gpu", status.name);
  record.facts["links_active"] = active;
  record.facts["links_inactive"] = inactive;
  if (most > 0) record.facts["links_per_gpu"] = most;
  set(record.facts, "link_gb_per_s", status.link_gb_per_s);
  record.facts["inactive_links"] = std::move(status.inactive_links);
  record.facts["gpus_without_links"] = std::move(without);
  record.first_line = status.first;
  record.last_line = status.last;
  record.complete = !unequal && !status.cut && !paste.elided_between(status.first, status.last + 1);
  return {record};
}

}  // namespace steelyard::evidence
