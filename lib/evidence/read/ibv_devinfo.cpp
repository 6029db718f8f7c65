// ibv_devinfo, with or without -v. Without -v it prints no rate, and none is made up.
#include <cmath>

#include "core/text.hpp"
#include "evidence/read/ports.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Device {
  std::string name;
  std::string vendor_id;
  std::vector<Port> ports;
  std::optional<double> lane_gbit_per_s, lanes;
  bool whole = true;
};

/// "4X (2)" lanes times "25.0 Gbps (32)" a lane; the nominal rate.
void set_rate(Device& device) {
  if (device.ports.empty() || !device.lanes || !device.lane_gbit_per_s) return;
  device.ports.back().rate_gbit_per_s = *device.lanes * std::floor(*device.lane_gbit_per_s);
}

bool read_field(std::string_view line, Device& device) {
  const auto field = key_value(line);
  if (!field) return false;
  if (field->key == "vendor_id") return device.vendor_id = field->value, true;
  if (field->key == "port" && leading_integer(field->value)) {
    device.ports.push_back({});
    device.ports.back().device = device.name;
    device.ports.back().number = leading_integer(field->value);
    device.lanes = device.lane_gbit_per_s = std::nullopt;
    return true;
  }
  if (device.ports.empty()) return false;
  Port& port = device.ports.back();
  if (field->key == "state")
    port.state = port_state(field->value);
  else if (field->key == "phys_state")
    port.physical_state = physical_state(field->value);
  else if (field->key == "active_mtu")
    port.mtu_bytes = leading_integer(field->value);
  else if (field->key == "link_layer")
    port.link_layer = link_layer(field->value);
  else if (field->key == "active_width")
    device.lanes = leading_number(field->value), set_rate(device);
  else if (field->key == "active_speed")
    device.lane_gbit_per_s = leading_number(field->value), set_rate(device);
  else
    return false;
  return true;
}

}  // namespace

Records read_ibv_devinfo(const Paste& paste) {
  std::vector<Device> devices;
  ToolRecord record;
  bool head_missing = false, in_device = false;
  for (const Line& line : paste.lines) {
    const auto name = word_after(line.text, "hca_id:");
    if (name) {
      in_device = true;
      devices.push_back({});
      devices.back().name = *name;
    } else if (begins_port_block(trim(line.text))) {
      in_device = false;
      continue;
    } else if (devices.empty()) {
      head_missing = head_missing || contains(line.text, "active_mtu:") || contains(line.text, "phys_port_cnt:");
      continue;
    } else if (!in_device || !read_field(line.text, devices.back())) {
      continue;
    }
    if (record.first_line == 0) record.first_line = line.number;
    record.last_line = line.number;
  }
  if (devices.empty()) return {};
  std::vector<Port> ports;
  bool cut = cut_port_heading(trim(paste.lines.back().text)), software = false;
  for (const Device& device : devices) {
    software = software || starts_with(device.name, "rxe") || starts_with(device.name, "siw") || device.vendor_id == "0x000000";
    if (device.ports.empty() || (device.lane_gbit_per_s && device.ports.back().physical_state.empty())) cut = true;  // phys_state follows the speed
    for (const Port& port : device.ports) {
      if (!port.state.empty() && !port.link_layer.empty())
        ports.push_back(port);
      else
        cut = true;
    }
  }
  record.tool = "ibv_devinfo";
  record.subject = "ports";
  record.facts = port_facts(ports);
  if (software) record.facts["software_rdma"] = true;
  record.complete = !cut && !head_missing && !paste.elided_between(record.first_line, record.last_line + 1);
  return {record};
}

}  // namespace steelyard::evidence
