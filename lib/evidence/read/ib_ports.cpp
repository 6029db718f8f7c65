// ibstat ("CA 'mlx5_0'" blocks with ports below) and ibstatus ("Infiniband device 'mlx5_0' port 1 status:").
#include <algorithm>

#include "core/text.hpp"
#include "evidence/read/ports.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Listing {
  std::vector<Port> ports;
  std::int64_t announced = 0;  // "Number of ports" over all devices
  int devices = 0, first = 0, last = 0;
  bool error = false;  // "ibpanic: ...": the listing stopped
  bool cut = false;
};

std::string quoted_name(std::string_view line) { return std::string(before(after(line, "'").value_or(""), "'")); }

/// Keys of both tools; false where the line is none of them.
bool read_field(std::string_view line, Port& port) {
  const auto field = key_value(line);
  if (!field) return false;
  const std::string key = to_lower(field->key);
  if (key == "state")
    port.state = port_state(field->value);
  else if (key == "physical state" || key == "phys state")
    port.physical_state = physical_state(field->value);
  else if (key == "rate")
    port.rate_gbit_per_s = leading_number(field->value);
  else if (key == "link layer" || key == "link_layer")
    port.link_layer = link_layer(field->value);
  else
    return key == "base lid" || key == "sm lid" || key == "lmc" || key == "capability mask" || key == "port guid" || key == "default gid";
  return true;
}

/// A device block is whole when its last keys are there: other blocks show whether this version prints the link layer.
bool whole(const Port& port, bool layer_printed) {
  return !port.state.empty() && !port.physical_state.empty() && port.rate_gbit_per_s && (!layer_printed || !port.link_layer.empty());
}

/// Devices are listed in the order of their names: mlx5_1, mlx5_10, mlx5_11, mlx5_2. Ending between 1x and 2 means that the rest is missing.
bool ends_inside_tens(const std::vector<Port>& ports) {
  std::vector<std::int64_t> numbers;
  for (const Port& port : ports) {
    const std::size_t at = port.device.find_last_not_of("0123456789");
    const auto value = at == std::string::npos ? std::nullopt : integer(std::string_view(port.device).substr(at + 1));
    if (!value) return false;
    numbers.push_back(*value);
  }
  const bool tens = std::any_of(numbers.begin(), numbers.end(), [](auto n) { return n >= 10 && n < 20; });
  const bool units = std::any_of(numbers.begin(), numbers.end(), [](auto n) { return n >= 2 && n < 10; });
  return tens && !units && numbers.size() > 2 && numbers[0] <= 1;
}

Records finish(Listing& listing, std::string_view tool, const Paste& paste) {
  if (listing.devices == 0) return {};
  const bool layer_printed = std::any_of(listing.ports.begin(), listing.ports.end(), [](const Port& port) { return !port.link_layer.empty(); });
  std::vector<Port> ports;
  for (const Port& port : listing.ports) {
    if (whole(port, layer_printed)) ports.push_back(port);
  }
  ToolRecord record;
  record.tool = tool;
  record.subject = "ports";
  record.facts = port_facts(ports);
  if (listing.error) record.facts["listing_error"] = true;
  record.first_line = listing.first;
  record.last_line = listing.last;
  record.complete = !ports.empty() && layer_printed && ports.size() == listing.ports.size() &&
                    static_cast<std::size_t>(listing.devices) <= ports.size() && listing.announced <= static_cast<std::int64_t>(ports.size()) &&
                    !(paste.lines.empty() || cut_port_heading(trim(paste.lines.back().text))) && !listing.error && !listing.cut &&
                    !ends_inside_tens(ports) && !paste.elided_between(listing.first, listing.last + 1);
  return {record};
}

Records read_ibstat(const Paste& paste) {
  Listing listing;
  std::string device;
  bool in_port = false;
  for (const Line& line : paste.lines) {
    const std::string_view text = trim(line.text);
    const bool heading = starts_with(text, "CA '");
    bool mine = true;
    if (heading) {
      device = quoted_name(text);
      listing.cut = listing.cut || device.empty();
      if (!device.empty()) ++listing.devices;
    } else if (begins_port_block(text)) {
      device.clear();
    } else if (listing.devices > 0 && !text.empty() && (starts_with(text, "ibpanic:") || starts_with("ibpanic:", text))) {
      listing.error = true;
    } else if (!device.empty() && starts_with(text, "Number of ports:")) {
      listing.announced += integer_after(text, "Number of ports:").value_or(0);
    } else if (!device.empty() && starts_with(text, "Port ") && ends_with(text, ":")) {
      in_port = true;
      listing.ports.push_back({});
      listing.ports.back().device = device;
      listing.ports.back().number = integer_after(text, "Port ");
    } else {
      mine = in_port && read_field(line.text, listing.ports.back());
    }
    if (heading || device.empty()) in_port = false;
    if (!mine || (device.empty() && !listing.error)) continue;
    if (listing.first == 0) listing.first = line.number;
    listing.last = line.number;
  }
  return finish(listing, "ibstat", paste);
}

Records read_ibstatus(const Paste& paste) {
  Listing listing;
  bool in_port = false;
  for (const Line& line : paste.lines) {
    const std::string_view text = trim(line.text);
    if (starts_with(text, "Infiniband device '")) {
      in_port = true;
      ++listing.devices;
      listing.ports.push_back({});
      listing.ports.back().device = quoted_name(text);
      listing.ports.back().number = integer_after(text, " port ");
    } else if (begins_port_block(text)) {
      in_port = false;
      continue;
    } else if (!in_port || !read_field(line.text, listing.ports.back())) {
      continue;
    }
    if (listing.first == 0) listing.first = line.number;
    listing.last = line.number;
  }
  return finish(listing, "ibstatus", paste);
}

}  // namespace

Records read_ib_ports(const Paste& paste) {
  Records records = read_ibstat(paste);
  for (ToolRecord& record : read_ibstatus(paste)) records.push_back(std::move(record));
  return records;
}

}  // namespace steelyard::evidence
