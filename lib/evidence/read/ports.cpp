#include "evidence/read/ports.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

/// "4: ACTIVE" and "PORT_ACTIVE (4)" → "ACTIVE".
std::string_view bare(std::string_view printed) {
  if (const std::size_t colon = printed.find(": "); colon != std::string_view::npos) printed.remove_prefix(colon + 2);
  printed = trim(before(printed, "("));
  if (starts_with(printed, "PORT_")) printed.remove_prefix(5);
  return printed;
}

}  // namespace

bool begins_port_block(std::string_view text) {
  return starts_with(text, "CA '") || starts_with(text, "Infiniband device '") || starts_with(text, "hca_id:");
}

bool cut_port_heading(std::string_view text) {
  for (const std::string_view heading : {"CA '", "Infiniband device '", "hca_id:"}) {
    if (text.size() < heading.size() && !text.empty() && starts_with(heading, text)) return true;
  }
  return text == "hca_id:";
}

std::string port_state(std::string_view printed) {
  const std::string_view word = bare(printed);
  const std::string key = to_lower(word);
  if (starts_with(key, "active")) return "Active";
  if (key == "down") return "Down";
  if (starts_with(key, "init")) return "Initializing";
  return key == "armed" ? "Armed" : std::string(word);
}

std::string physical_state(std::string_view printed) {
  const std::string_view word = bare(printed);
  const std::string key = name_key(word);
  if (key == "linkup") return "LinkUp";
  if (key == "polling") return "Polling";
  if (key == "disabled") return "Disabled";
  return key == "sleep" ? "Sleep" : std::string(word);
}

std::string link_layer(std::string_view printed) {
  const std::string key = to_lower(trim(printed));
  if (key == "infiniband" || key == "ib") return "InfiniBand";
  return key == "ethernet" || key == "roce" ? "Ethernet" : "";
}

Value port_facts(const std::vector<Port>& ports) {
  Value facts = Value::map();
  Value list = Value::list();
  int active = 0, infiniband = 0, ethernet = 0, layers = 0;
  std::optional<std::int64_t> mtu;
  for (const Port& port : ports) {
    Value entry = Value::map();
    set_text(entry, "device", port.device);
    set(entry, "port", port.number);
    set_text(entry, "state", port.state);
    set_text(entry, "physical_state", port.physical_state);
    set(entry, "rate_gbit_per_s", port.rate_gbit_per_s);
    set_text(entry, "link_layer", port.link_layer);
    list.push_back(std::move(entry));
    if (!port.link_layer.empty()) ++layers;
    if (port.mtu_bytes) mtu = std::min(mtu.value_or(*port.mtu_bytes), *port.mtu_bytes);
    if (port.state != "Active" || (!port.physical_state.empty() && port.physical_state != "LinkUp")) continue;
    ++active;
    if (port.link_layer == "InfiniBand") ++infiniband;
    if (port.link_layer == "Ethernet") ++ethernet;
  }
  facts["ports"] = std::move(list);
  facts["ports_active"] = active;
  facts["ports_down"] = static_cast<int>(ports.size()) - active;
  if (layers > 0) facts["active_infiniband"] = infiniband, facts["active_ethernet"] = ethernet;
  set(facts, "mtu_bytes", mtu);
  return facts;
}

}  // namespace steelyard::evidence
