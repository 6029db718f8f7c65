// Messages of drivers in kernel logs that carry no Xid.
#include <algorithm>
#include <map>

#include "core/text.hpp"
#include "evidence/read/dmesg.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

bool hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// The first "0000:b3:00" of a text (domain, bus, device, as an Xid names it); empty where there is none.
std::string pci_address(std::string_view text) {
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    if (at < 4 || at + 6 > text.size() || text[at + 3] != ':') continue;
    const std::string_view address = text.substr(at - 4, 10);
    const auto digits = static_cast<std::size_t>(std::count_if(address.begin(), address.end(), hex));
    if (digits == 8) return to_lower(address);
  }
  return {};
}

/// What a line of the driver means; empty where it says nothing about the state of a GPU.
std::string driver_status(std::string_view lower) {
  static constexpr std::pair<std::string_view, std::string_view> marks[] = {
      {"fallen off the bus", "fallen_off_bus"},
      {"rminitadapter failed", "init_failed"},
      {"installed in this system is not supported by", "not_supported"},
      {"requires use of the nvidia open kernel modules", "needs_open_modules"},
      {"api mismatch:", "version_mismatch"},
  };
  if (!contains(lower, "nvrm")) return {};
  const auto* const found = std::find_if(std::begin(marks), std::end(marks), [&](const auto& mark) { return contains(lower, mark.first); });
  return found == std::end(marks) ? "" : std::string(found->second);
}

/// How often a status was told of an address, and where.
struct Message {
  Span span;
  std::int64_t count = 0;

  void touch(int line) {
    span.touch(line);
    ++count;
  }
};
using Messages = std::map<std::pair<std::string, std::string>, Message>;  // by status and address

ToolRecord record_of(const char* subject, const Messages::value_type& entry) {
  Value facts = Value::map();
  facts["status"] = entry.first.first;
  set_text(facts, "pci", entry.first.second);
  facts["count"] = entry.second.count;
  return dmesg_record(subject, entry.second.span, std::move(facts));
}

/// PCI addresses of GPUs that Xid 79 reports: the same loss need not be told twice.
bool has_xid_79(const Paste& paste, const std::string& pci) {
  return std::any_of(paste.lines.begin(), paste.lines.end(), [&](const Line& line) {
    return contains(line.text, "Xid (") && integer_after(line.text, "): ") == 79 && (pci.empty() || pci_address(line.text) == pci);
  });
}

}  // namespace

ToolRecord dmesg_record(std::string subject, const Span& span, Value facts) {
  ToolRecord record;
  record.tool = "dmesg";
  record.subject = std::move(subject);
  record.facts = std::move(facts);
  record.first_line = span.first;
  record.last_line = span.last;
  record.complete = true;
  return record;
}

Records read_driver_messages(const Paste& paste) {
  Messages found;
  std::string pci;  // of the last lines: the sentence may be broken over three
  int named = 0;
  for (const Line& line : paste.lines) {
    if (std::string address = pci_address(line.text); !address.empty()) pci = std::move(address), named = line.number;
    if (line.number - named > 5) pci.clear();
    const std::string status = contains(line.text, "Xid (") ? "" : driver_status(to_lower(line.text));
    if (status.empty()) continue;
    found[{status, status == "version_mismatch" ? "" : pci}].touch(line.number);
  }
  Records records;
  for (const auto& entry : found) {
    if (entry.first.first == "fallen_off_bus" && has_xid_79(paste, entry.first.second)) continue;
    records.push_back(record_of("driver", entry));
  }
  return records;
}

Records read_adapter_messages(const Paste& paste) {
  Messages found;
  for (const Line& line : paste.lines) {
    const bool power = contains(line.text, "insufficient power on the PCIe slot"), module = contains(line.text, "Port module event[error]");
    if (!power && !module) continue;
    found[{power ? "insufficient_power" : "module_error", pci_address(line.text)}].touch(line.number);
  }
  Records records;
  for (const auto& entry : found) records.push_back(record_of("adapter", entry));
  return records;
}

Records read_pcie_errors(const Paste& paste) {
  struct Errors {
    Span span;
    std::int64_t corrected = 0, uncorrected = 0;
  };
  std::map<std::pair<std::string, std::string>, Errors> found;  // by driver and address
  for (const Line& line : paste.lines) {
    const auto severity = after(line.text, "PCIe Bus Error: severity=");
    if (!severity) continue;
    for (const std::string_view driver : {"nvidia ", "mlx5_core ", "amdgpu "}) {
      if (!contains(before(line.text, "PCIe Bus Error"), driver)) continue;
      Errors& errors = found[{std::string(trim(driver)), pci_address(line.text)}];
      errors.span.touch(line.number);
      ++(starts_with(*severity, "Corrected") ? errors.corrected : errors.uncorrected);
    }
  }
  Records records;
  for (const auto& [key, errors] : found) {
    Value facts = Value::map();
    facts["driver"] = key.first;
    set_text(facts, "pci", key.second);
    facts["corrected"] = errors.corrected;
    facts["uncorrected"] = errors.uncorrected;
    records.push_back(dmesg_record("pcie_error", errors.span, std::move(facts)));
  }
  return records;
}

}  // namespace steelyard::evidence
