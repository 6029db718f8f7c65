// lspci -vvv: speed and width of a link against what it can do, and ACS redirection of bridges.
#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Link {
  std::optional<double> speed, speed_max;
  std::optional<std::int64_t> width, width_max;
  std::optional<bool> speed_downgraded, width_downgraded;
  int first = 0, last = 0;
};

/// "LnkCap: Port #0, Speed 16GT/s, Width x16, ..." and "LnkSta: Speed 2.5GT/s (downgraded), Width x8 (downgraded)"
bool read_link(std::string_view text, Link& link) {
  const bool capability = contains(text, "LnkCap:"), status = contains(text, "LnkSta:");
  if (!capability && !status) return false;
  const auto speed = number_after(text, "Speed ");
  const auto width = integer_after(text, "Width x");
  if (capability && !link.speed_max) link.speed_max = speed, link.width_max = width;
  if (!status || link.speed) return true;
  link.speed = speed;
  link.width = width;
  const std::string_view rest = after(text, "Speed ").value_or("");
  if (speed) link.speed_downgraded = contains(before(rest, ","), "downgraded") || (link.speed_max && *speed < *link.speed_max);
  if (width) link.width_downgraded = contains(after(rest, "Width x").value_or(""), "downgraded") || (link.width_max && *width < *link.width_max);
  return true;
}

ToolRecord link_record(const Link& link, const Paste& paste) {
  ToolRecord record;
  record.tool = "lspci";
  record.subject = "pcie_link";
  set(record.facts, "speed_gt_per_s", link.speed);
  set(record.facts, "speed_max_gt_per_s", link.speed_max);
  set(record.facts, "width", link.width);
  set(record.facts, "width_max", link.width_max);
  set(record.facts, "speed_downgraded", link.speed_downgraded);
  set(record.facts, "width_downgraded", link.width_downgraded);
  record.first_line = link.first;
  record.last_line = link.last;
  record.complete = link.speed && link.speed_max && !paste.elided_between(link.first, link.last);
  return record;
}

}  // namespace

Records read_lspci(const Paste& paste) {
  Link link;
  ToolRecord acs;
  std::int64_t bridges = 0, redirecting = 0;
  for (const Line& line : paste.lines) {
    if (read_link(line.text, link)) {
      if (link.first == 0) link.first = line.number;
      link.last = line.number;
    }
    const auto control = after(line.text, "ACSCtl:");
    if (!control || !contains(*control, "ReqRedir")) continue;
    ++bridges;
    redirecting += contains(*control, "ReqRedir+") || contains(*control, "CmpltRedir+");
    if (acs.first_line == 0) acs.first_line = line.number;
    acs.last_line = line.number;
  }
  Records records;
  if (link.first > 0) records.push_back(link_record(link, paste));
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
