// nvidia-smi -q, whole or in parts (-d ECC, PERFORMANCE ...): keys are found by the sections they stand in, sections by indentation.
#include <algorithm>
#include <map>
#include <set>

#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

using Keys = std::map<std::string, std::string, std::less<>>;  // "PCI/GPU Link Info/PCIe Generation/Max" → "5"

struct Listing {
  Keys head;
  std::vector<Keys> gpus;
  std::vector<std::pair<std::size_t, std::string>> sections;  // indentation and name
  bool log_heading = false, marked = false, invalid = false;
  int first = 0, last = 0;
};

std::string path(const Listing& listing, std::string_view key) {
  std::string text;
  for (const auto& [indent, name] : listing.sections) text += name + "/";
  return text + std::string(key);
}

bool gpu_heading(std::string_view text) {
  return starts_with(text, "GPU ") && text.size() >= 15 && text.find(':') != std::string_view::npos && contains(text, ".") && words(text).size() == 2;
}

/// A line without " : " opens a section; deeper lines belong to it.
void open_section(std::string_view line, Listing& listing) {
  const std::size_t indent = indent_of(line);
  while (!listing.sections.empty() && listing.sections.back().first >= indent) listing.sections.pop_back();
  listing.sections.emplace_back(indent, std::string(trim(line)));
}

/// "HW Slowdown : Active" has keys below it although it is one itself: they are told apart by name, so sections above suffice.
bool read_key(std::string_view line, Listing& listing) {
  const std::size_t colon = line.find(" : ");
  if (colon == std::string_view::npos) return false;
  const std::string_view key = trim(line.substr(0, colon)), value = trim(line.substr(colon + 3));
  const std::size_t indent = indent_of(line);
  const bool flat = indent == 0 && listing.sections.size() == 1;  // a paste that lost its indentation: the last heading holds
  while (!flat && !listing.sections.empty() && listing.sections.back().first >= indent) listing.sections.pop_back();
  Keys& keys = listing.gpus.empty() ? listing.head : listing.gpus.back();
  keys.emplace(path(listing, key), std::string(value));
  listing.invalid = listing.invalid || starts_with(key, "Invalid ");
  return true;
}

/// Keys that only nvidia-smi -q prints: enough to know a fragment by.
bool mark(std::string_view text) {
  for (const std::string_view key : {"NVSMI LOG", "HW Power Brake Slowdown", "Pending Page Blacklist", "Remapping Failure Occurred",
                                     "SRAM Uncorrectable", "DRAM Uncorrectable", "Attached GPUs", "Clocks Throttle Reasons", "Clocks Event Reasons",
                                     "SW Thermal Slowdown", "CliqueId", "Remapped Rows", "Default Power Limit"}) {
    if (contains(text, key)) return true;
  }
  const auto field = key_value(text);
  return field && (field->key == "Compute Mode" || field->key == "Product Architecture" || field->key == "HW Slowdown");
}

class Facts {
 public:
  explicit Facts(const Listing& listing) : listing_(listing) {
    if (listing.gpus.empty()) blocks_.push_back(&listing.head);
    for (const Keys& gpu : listing.gpus) blocks_.push_back(&gpu);
  }

  /// Values of a key over all GPUs; `end` is the end of its path, at a section boundary.
  std::vector<std::string> values(std::string_view end) const {
    std::vector<std::string> found;
    for (const Keys* keys : blocks_) {
      for (const auto& [key, value] : *keys) {
        const bool hit = key == end || (ends_with(key, end) && key[key.size() - end.size() - 1] == '/');
        if (hit) found.push_back(value);
      }
    }
    return found;
  }

  std::optional<std::int64_t> extreme(std::string_view end, bool largest) const {
    std::optional<std::int64_t> best;
    for (const std::string& value : values(end)) {
      const auto count = leading_integer(value);
      if (count && (!best || (largest ? *count > *best : *count < *best))) best = count;
    }
    return best;
  }

  /// true if any GPU says yes, false if all that say something say no.
  std::optional<bool> any(std::string_view end, std::string_view yes, std::string_view no) const {
    std::optional<bool> result;
    for (const std::string& value : values(end)) {
      if (value == yes) return true;
      if (value == no) result = false;
    }
    return result;
  }

  /// The first value that differs from the good one, else the first.
  std::string worst(std::string_view end, std::string_view good) const {
    const std::vector<std::string> all = values(end);
    const auto bad = std::find_if(all.begin(), all.end(), [&](const std::string& value) { return value != good && value != "N/A"; });
    return bad != all.end() ? *bad : all.empty() ? "" : all.front();
  }

  const std::vector<const Keys*>& blocks() const { return blocks_; }

 private:
  const Listing& listing_;
  std::vector<const Keys*> blocks_;
};

Value throttle_reasons(const Facts& from) {
  static constexpr std::pair<std::string_view, std::string_view> reasons[] = {{"HW Power Brake Slowdown", "hw_power_brake_slowdown"},
                                                                              {"HW Slowdown", "hw_slowdown"},
                                                                              {"HW Thermal Slowdown", "hw_thermal_slowdown"},
                                                                              {"SW Power Cap", "sw_power_cap"},
                                                                              {"SW Thermal Slowdown", "sw_thermal_slowdown"}};
  Value active = Value::list();
  bool printed = false;
  for (const auto& [key, name] : reasons) {
    const std::vector<std::string> values = from.values(key);
    printed = printed || !values.empty();
    if (std::find(values.begin(), values.end(), "Active") != values.end()) active.push_back(name);
  }
  return printed ? active : Value();
}

void set_retired_pages(const Facts& from, Value& facts) {
  std::optional<std::int64_t> most;
  std::int64_t pending = 0;
  bool printed = false;
  for (const Keys* keys : from.blocks()) {
    const auto value = [&](std::string_view key) -> std::string {
      for (const auto& [name, text] : *keys) {
        if (ends_with(name, key)) return text;
      }
      return {};
    };
    const auto single = leading_integer(value("Retired Pages/Single Bit ECC")), twice = leading_integer(value("Retired Pages/Double Bit ECC"));
    if (single && twice) most = std::max(most.value_or(0), *single + *twice);
    const std::string blacklist = value("Retired Pages/Pending Page Blacklist");
    printed = printed || blacklist == "Yes" || blacklist == "No";
    pending += blacklist == "Yes";
  }
  set(facts, "retired_pages_max", most);
  if (printed) facts["retired_pages_pending_gpus"] = pending;
}

void set_pcie(const Facts& from, Value& facts) {
  set(facts, "pcie_gen", from.extreme("PCIe Generation/Current", false));
  set(facts, "pcie_gen_max", from.extreme("PCIe Generation/Max", true));
  set(facts, "pcie_width", from.extreme("Link Width/Current", false));
  set(facts, "pcie_width_max", from.extreme("Link Width/Max", true));
}

void set_memory_health(const Facts& from, Value& facts) {
  std::optional<std::int64_t> correctable = from.extreme("Volatile/DRAM Correctable", true);
  set(facts, "ecc_dram_correctable", correctable ? correctable : from.extreme("DRAM Correctable", true));
  std::optional<std::int64_t> uncorrectable;
  for (const std::string_view key : {"Volatile/SRAM Uncorrectable", "Volatile/DRAM Uncorrectable", "Volatile/SRAM Uncorrectable Parity",
                                     "Volatile/SRAM Uncorrectable SEC-DED", "Volatile/Double Bit/Total"}) {
    if (const auto count = from.extreme(key, true)) uncorrectable = uncorrectable.value_or(0) + *count;
  }
  set(facts, "ecc_uncorrectable", uncorrectable);
  set(facts, "remapped_rows_correctable", from.extreme("Remapped Rows/Correctable Error", true));
  set(facts, "remapped_rows_uncorrectable", from.extreme("Remapped Rows/Uncorrectable Error", true));
  set(facts, "remap_pending", from.any("Remapped Rows/Pending", "Yes", "No"));
  set(facts, "sram_threshold_exceeded", from.any("SRAM Threshold Exceeded", "Yes", "No"));
  set(facts, "remap_failed", from.any("Remapped Rows/Remapping Failure Occurred", "Yes", "No"));
}

void set_fabric(const Facts& from, Value& facts) {
  const std::string state = from.worst("Fabric/State", "Completed"), status = from.worst("Fabric/Status", "Success");
  if (state != "N/A") set_text(facts, "fabric_state", state);
  if (status != "N/A") set_text(facts, "fabric_status", status);
  set(facts, "fabric_clique_id", from.extreme("Fabric/CliqueId", false));
  for (const std::string& health : from.values("Fabric/Health/Summary")) {
    if (health == "N/A" || health == "Not Supported") continue;
    if (!facts.find("fabric_health") || health != "Healthy") facts["fabric_health"] = health;
  }
}

/// What the driver wants to be done: "Reset", "Reboot", "Drain P2P"; older drivers only say that a reset is due.
void set_recovery(const Facts& from, Value& facts) {
  for (const std::string& action : from.values("GPU Recovery Action")) {
    if (action != "N/A" && (!facts.find("recovery_action") || action != "None")) facts["recovery_action"] = action;
  }
  for (const std::string_view key : {"Reset Required", "Channel Repair Pending", "TPC Repair Pending"}) {
    if (from.any(key, "Yes", "No").value_or(false)) facts["reset_due"] = true;
  }
}

void set_power(const Facts& from, Value& facts) {
  for (const std::string_view key : {"GPU Power Readings/Current Power Limit", "GPU Power Readings/Power Limit", "Power Readings/Current Power Limit",
                                     "Power Readings/Power Limit", "Current Power Limit", "Power Limit"}) {
    for (const std::string& value : from.values(key)) {
      if (facts.find("power_limit_w")) break;
      set(facts, "power_limit_w", leading_number(value));
    }
  }
  for (const std::string_view key : {"GPU Power Readings/Default Power Limit", "Power Readings/Default Power Limit", "Default Power Limit"}) {
    for (const std::string& value : from.values(key)) {
      if (!facts.find("power_default_w")) set(facts, "power_default_w", leading_number(value));
    }
  }
  if (const auto hottest = from.extreme("Temperature/GPU Current Temp", true)) facts["temperature_max_c"] = *hottest;
}

std::string head_value(const Listing& listing, std::string_view key) {
  for (const auto& [name, value] : listing.head) {
    if (ends_with(name, key) && value != "N/A") return value;
  }
  return {};
}

Value facts_of(const Listing& listing) {
  Value facts = Value::map();
  const Facts from(listing);
  const auto head = [&](std::string_view key) { return head_value(listing, key); };
  set_text(facts, "driver", head("Driver Version"));
  set_text(facts, "cuda", version_prefix(head("CUDA Version")));  // "Not Found" without the CUDA library
  set(facts, "attached_gpus", leading_integer(head("Attached GPUs")));
  if (!listing.gpus.empty()) facts["gpus"] = listing.gpus.size();
  for (const std::string& name : from.values("Product Name")) {
    if (!facts.find("gpu")) set_text(facts, "gpu", name);
  }
  set(facts, "memory_mib", from.extreme("FB Memory Usage/Total", true));
  set_pcie(from, facts);
  if (Value reasons = throttle_reasons(from); !reasons.is_null()) facts["throttle_reasons"] = std::move(reasons);
  set_memory_health(from, facts);
  set_retired_pages(from, facts);
  set_fabric(from, facts);
  set_recovery(from, facts);
  set_power(from, facts);
  set_text(facts, "compute_mode", from.worst("Compute Mode", "Default"));
  if (listing.invalid) facts["corrupt"] = true;
  return facts;
}

bool has(const Keys& keys, std::string_view part) {
  return std::any_of(keys.begin(), keys.end(), [&](const auto& entry) { return contains(entry.first, part); });
}

/// Is the block whole? Each section that was begun has its last key, and a full listing (it names the product) ends with the processes.
bool whole(const Keys& keys) {
  static constexpr std::pair<std::string_view, std::string_view> last_keys[] = {{"Remapped Rows/", "Remapped Rows/Remapping Failure Occurred"},
                                                                                {"Retired Pages/", "Retired Pages/Pending Page Blacklist"},
                                                                                {"Reasons/", "Reasons/SW Thermal Slowdown"},
                                                                                {"ECC Errors/Volatile", "ECC Errors/Aggregate"},
                                                                                {"Fabric/State", "Fabric/Status"}};
  for (const auto& [begun, last] : last_keys) {
    if (has(keys, begun) && !has(keys, last)) return false;
  }
  return !keys.empty() && (!has(keys, "Product Name") || has(keys, "Process"));
}

/// No block is much shorter than the first: the listing was not cut between two lines of the last card.
bool equal_ends(const Listing& listing) {
  if (listing.gpus.empty() || !std::all_of(listing.gpus.begin(), listing.gpus.end(), whole)) return false;
  return listing.gpus.back().size() + 8 >= listing.gpus.front().size();  // processes differ from card to card
}

}  // namespace

Records read_nvidia_smi_q(const Paste& paste) {
  Listing listing;
  for (const Line& line : paste.lines) {
    const std::string_view text = trim(line.text);
    if (text.empty() || line.elided) continue;
    const bool known = mark(text);
    listing.marked = listing.marked || known;
    listing.log_heading = listing.log_heading || contains(text, "NVSMI LOG");
    bool mine = known;
    if (gpu_heading(text)) {
      listing.gpus.emplace_back();
      listing.sections.clear();
      mine = true;
    } else if (read_key(line.text, listing)) {
      mine = true;
    } else if (!starts_with(text, "=") && !starts_with(text, "|") && !starts_with(text, "+") && text.size() < 60) {
      open_section(line.text, listing);
    }
    if (!mine || !(listing.marked || !listing.gpus.empty() || contains(text, "Driver Version") || contains(text, "Timestamp"))) continue;
    if (listing.first == 0) listing.first = line.number;
    listing.last = line.number;
  }
  if (!listing.marked) return {};
  ToolRecord record;
  record.tool = "nvidia-smi-q";
  record.subject = "gpus";
  record.facts = facts_of(listing);
  record.first_line = listing.first;
  record.last_line = listing.last;
  const auto attached = leading_integer(head_value(listing, "Attached GPUs"));
  const bool all = attached && *attached == static_cast<std::int64_t>(listing.gpus.size());
  record.complete = listing.log_heading && all && !listing.invalid && equal_ends(listing) && !paste.elided_between(listing.first, listing.last + 1);
  return {record};
}

}  // namespace steelyard::evidence
