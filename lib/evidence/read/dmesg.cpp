// Kernel and system logs (dmesg, journalctl, syslog): Xid, PCIe limits, flapping links, the fabric manager.
#include "evidence/read/dmesg.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

/// "NVRM: Xid (PCI:0000:9b:00): 119, pid=..., ..."; old drivers leave out "PCI:". "SXid" is the same of an NVSwitch.
Records read_xids(const Paste& paste) {
  struct Xid {
    bool of_switch = false, fatal = false, nonfatal = false;
    std::int64_t number = 0, count = 0;
    std::string pci;
    Span span;
    std::optional<std::int64_t> previous;
  };
  std::vector<Xid> found;  // in the order of the text
  for (const Line& line : paste.lines) {
    const std::size_t at = line.text.find("Xid (");
    if (at == std::string::npos) continue;
    const bool of_switch = at > 0 && line.text[at - 1] == 'S';
    std::string_view rest = std::string_view(line.text).substr(at + 5);
    if (starts_with(rest, "PCI:")) rest.remove_prefix(4);
    const auto number = integer_after(rest, "): ");
    const std::string_view pci = before(rest, ")");
    if (!number || !contains(pci, ":")) continue;
    auto xid = std::find_if(found.begin(), found.end(),
                            [&](const Xid& one) { return one.of_switch == of_switch && one.number == *number && one.pci == pci; });
    if (xid == found.end()) xid = found.insert(found.end(), {of_switch, false, false, *number, 0, std::string(pci), {}, {}});
    xid->span.touch(line.number);
    ++xid->count;
    xid->fatal = xid->fatal || contains(rest, ", Fatal") || contains(rest, " Fatal ");
    xid->nonfatal = xid->nonfatal || contains(rest, " Nonfatal ");
    if (const auto previous = integer_after(rest, "caused by previous Xid ")) xid->previous = previous;
  }
  Records records;
  for (const Xid& xid : found) {
    Value facts = Value::map();
    facts[xid.of_switch ? "sxid" : "xid"] = xid.number;
    facts["count"] = xid.count;
    set_text(facts, "pci", xid.pci);
    if (xid.of_switch) facts["fatal"] = xid.fatal;
    if (!xid.of_switch && xid.nonfatal) facts["nonfatal"] = !xid.fatal;  // NVLink errors of Blackwell say it
    set(facts, "previous_xid", xid.previous);
    records.push_back(dmesg_record(xid.of_switch ? "sxid" : "xid", xid.span, std::move(facts)));
  }
  return records;
}

/// "mlx5_core 0001:43:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at ... (capable of 126.016 Gb/s with ...)"
Records read_pcie(const Paste& paste) {
  using Key = std::tuple<std::string, double, double, std::int64_t, double>;
  std::map<Key, std::pair<Span, std::int64_t>> found;
  for (const Line& line : paste.lines) {
    const std::string_view text = line.text;
    const std::size_t unit = text.find(" Gb/s available PCIe bandwidth, limited by ");
    if (unit == std::string_view::npos) continue;
    const std::size_t blank = text.find_last_of(' ', unit - 1), begin = blank == std::string_view::npos ? 0 : blank + 1;
    const auto available = number(text.substr(begin, unit - begin));
    const auto speed = number_after(text, "limited by ");
    const auto width = integer_after(text, "PCIe x");
    const auto capable = number_after(text, "capable of ");
    if (!available || !speed || !width || !capable) continue;
    std::vector<std::string_view> word = words(text.substr(0, begin));
    const std::string driver = word.size() < 2 ? "" : std::string(word[word.size() - 2]);
    const bool named = driver != "pci" && driver.find_first_of(":]") == std::string::npos;
    auto& [span, count] = found[{named ? driver : "", *available, *speed, *width, *capable}];
    span.touch(line.number);
    ++count;
  }
  Records records;
  for (const auto& [key, entry] : found) {
    Value facts = Value::map();
    set_text(facts, "driver", std::get<0>(key));
    facts["available_gbit_per_s"] = std::get<1>(key);
    facts["limit_gt_per_s"] = std::get<2>(key);
    facts["limit_width"] = std::get<3>(key);
    facts["capable_gbit_per_s"] = std::get<4>(key);
    facts["count"] = entry.second;
    records.push_back(dmesg_record("pcie_bandwidth", entry.first, std::move(facts)));
  }
  return records;
}

/// "systemd-networkd[5398]: ib6: Lost carrier"; mlx5_core writes "ens1np0: Link down".
Records read_flaps(const Paste& paste) {
  struct Flap {
    Span span;
    std::int64_t lost = 0, gained = 0;
  };
  std::map<std::string, Flap> found;
  for (const Line& line : paste.lines) {
    const std::string lower = to_lower(line.text);
    const bool lost = contains(lower, ": lost carrier") || contains(lower, ": link down"),
               gained = contains(lower, ": gained carrier") || contains(lower, ": link up");
    if (!lost && !gained) continue;
    const std::size_t end =
        std::min({lower.find(": lost carrier"), lower.find(": link down"), lower.find(": gained carrier"), lower.find(": link up")});
    const std::size_t begin = line.text.find_last_of(" :", end == 0 ? 0 : end - 1);
    Flap& flap = found[line.text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin + 1))];
    flap.span.touch(line.number);
    ++(lost ? flap.lost : flap.gained);
  }
  Records records;
  for (const auto& [device, flap] : found) {
    if (device.empty() || flap.lost == 0) continue;  // coming up once is no flap
    Value facts = Value::map();
    facts["device"] = device;
    facts["lost_carrier"] = flap.lost;
    facts["gained_carrier"] = flap.gained;
    records.push_back(dmesg_record("link_flap", flap.span, std::move(facts)));
  }
  return records;
}

std::string fabric_manager_status(std::string_view lower) {
  for (const std::string_view mark : {"nv_warn_nothing_to_do", "nothing to do"}) {
    if (contains(lower, mark)) return "nothing_to_do";
  }
  if (contains(lower, "match with driver version") || contains(lower, "mismatch")) return "version_mismatch";
  if (contains(lower, "failed") || contains(lower, "error")) return "failed";
  if (contains(lower, "inactive (dead)") || contains(lower, "could not be found")) return "inactive";
  if (contains(lower, "successfully configured") || contains(lower, "started nvidia fabric manager") || contains(lower, "active (running)"))
    return "running";
  return {};
}

Records read_fabric_manager(const Paste& paste) {
  Span span;
  std::string status;
  bool failed = false;
  bool near = false;  // "Active: ..." of systemctl stands below the unit's name
  for (const Line& line : paste.lines) {
    const std::string lower = to_lower(line.text);
    const bool named = contains(lower, "fabricmanager") || contains(lower, "fabric manager");
    if (!named && !(near && contains(lower, "active:"))) continue;
    near = near || named;
    const std::string found = fabric_manager_status(lower);
    if (found.empty()) continue;
    span.touch(line.number);
    if (status.empty() || status == "running" || status == "failed") status = found == "running" && !status.empty() ? status : found;
    failed = failed || found != "running";
  }
  if (status.empty()) return {};
  Value facts = Value::map();
  facts["status"] = status;
  facts["failed"] = failed;
  return {dmesg_record("fabric_manager", span, std::move(facts))};
}

}  // namespace

Records read_dmesg(const Paste& paste) {
  Records records = read_xids(paste);
  for (const auto read : {read_driver_messages, read_adapter_messages, read_pcie_errors, read_pcie, read_flaps, read_fabric_manager}) {
    for (ToolRecord& record : read(paste)) records.push_back(std::move(record));
  }
  return records;
}

}  // namespace steelyard::evidence
