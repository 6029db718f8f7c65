// lspci -vvv: speed and width of links against what they can do, and ACS redirection of bridges.
#include <algorithm>

#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

constexpr double idle_gt_per_s = 2.5;  // generation 1: where an idle device saves power

struct Link {
  std::optional<double> speed, speed_max;
  std::optional<std::int64_t> width, width_max;
  std::optional<bool> speed_downgraded, width_downgraded;
};

struct Links {
  std::vector<Link> devices;
  int first = 0, last = 0;
};

void read_status(std::string_view text, Link& link) {
  link.speed = number_after(text, "Speed ");
  link.width = integer_after(text, "Width x");
  const std::string_view rest = after(text, "Speed ").value_or("");
  if (link.speed) link.speed_downgraded = contains(before(rest, ","), "downgraded") || (link.speed_max && *link.speed < *link.speed_max);
  if (link.width)
    link.width_downgraded = contains(after(rest, "Width x").value_or(""), "downgraded") || (link.width_max && *link.width < *link.width_max);
}

/// "LnkCap: Port #0, Speed 16GT/s, Width x16, ..." begins a device, "LnkSta: Speed 2.5GT/s (downgraded), Width x8 (downgraded)" ends it.
bool read_link(std::string_view text, Links& links) {
  const bool capability = contains(text, "LnkCap:"), status = contains(text, "LnkSta:");
  if (!capability && !status) return false;
  if (links.devices.empty() || links.devices.back().speed) links.devices.emplace_back();
  Link& link = links.devices.back();
  if (status)
    read_status(text, link);
  else
    link.speed_max = number_after(text, "Speed "), link.width_max = integer_after(text, "Width x");
  return true;
}

/// Figures are those of the first device; the counts say whether another one is worse.
ToolRecord link_record(const Links& links, const Paste& paste) {
  ToolRecord record;
  record.tool = "lspci";
  record.subject = "pcie_link";
  const Link& link = links.devices.front();
  set(record.facts, "speed_gt_per_s", link.speed);
  set(record.facts, "speed_max_gt_per_s", link.speed_max);
  set(record.facts, "width", link.width);
  set(record.facts, "width_max", link.width_max);
  set(record.facts, "speed_downgraded", link.speed_downgraded);
  set(record.facts, "width_downgraded", link.width_downgraded);
  if (links.devices.size() > 1) {
    const auto count = [&](auto fits) { return static_cast<std::int64_t>(std::count_if(links.devices.begin(), links.devices.end(), fits)); };
    record.facts["devices"] = links.devices.size();
    record.facts["narrow_devices"] = count([](const Link& one) { return one.width_downgraded.value_or(false); });
    record.facts["slow_devices"] =
        count([](const Link& one) { return one.speed_downgraded.value_or(false) && one.speed.value_or(0) > idle_gt_per_s; });
  }
  record.first_line = links.first;
  record.last_line = links.last;
  record.complete = link.speed && link.speed_max && links.devices.back().speed && !paste.elided_between(links.first, links.last);
  return record;
}

}  // namespace

Records read_lspci(const Paste& paste) {
  Links links;
  ToolRecord acs;
  std::int64_t bridges = 0, redirecting = 0;
  for (const Line& line : paste.lines) {
    if (read_link(line.text, links)) {
      if (links.first == 0) links.first = line.number;
      links.last = line.number;
    }
    const auto control = after(line.text, "ACSCtl:");
    if (!control || !contains(*control, "ReqRedir")) continue;
    ++bridges;
    redirecting += contains(*control, "ReqRedir+") || contains(*control, "CmpltRedir+");
    if (acs.first_line == 0) acs.first_line = line.number;
    acs.last_line = line.number;
  }
  Records records;
  if (!links.devices.empty()) records.push_back(link_record(links, paste));
  if (bridges == 0) return records;
  acs.tool = "lspci";
  acs.subject = "acs";
  acs.facts["bridges"] = bridges;
  acs.facts["redirect_on"] = redirecting;
  acs.complete = !paste.elided_between(acs.first_line, acs.last_line);
  records.push_back(std::move(acs));
  return records;
}

}  // namespace steelyard::evidence
