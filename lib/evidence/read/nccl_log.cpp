// What NCCL_DEBUG=INFO prints: which network carries the data, over how many adapters, and what failed.
#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

struct Log {
  std::string used;       // "Using network X": carries the data
  std::string announced;  // "NET/X : Using ..."
  std::string channels;   // "via NET/X/0"
  std::int64_t hcas = 0, socket_interfaces = 0;
  std::set<std::string> layers;
  std::set<std::string, std::less<>> log_hosts, rank_hosts;  // who wrote the lines, and where the ranks of a test run
  std::int64_t nodes = 0, ranks_listed = 0;
  std::optional<bool> gpudirect, device_found;
  bool gdr_sends = false, plain_sends = false, gdr_receives = false, plain_receives = false, cut_list = false;
  std::optional<std::int64_t> ranks, completion_error, vendor_error;
  std::string version, plugin, provider, error, bootstrap_interface;
  int first = 0, last = 0;
};

/// Names that plugins give to the same transport.
std::string network_name(std::string_view printed) {
  if (starts_with(printed, "IB")) return "IB";  // IBext, IBext_v8: the plugin of the RDMA vendor
  if (contains_ci(printed, "libfabric") || starts_with(printed, "OFI")) return "OFI";
  return std::string(printed);
}

bool digits_in_brackets(std::string_view text, std::size_t open) {
  const std::size_t close = text.find(']', open);
  return close != std::string_view::npos && integer(text.substr(open + 1, close - open - 1)).has_value();
}

/// "[0]mlx5_0:1/IB [1]mlx5_1:1/RoCE [RO]; OOB eth0:...": adapters and their layers. Without the "OOB" part the list was cut.
void read_adapters(std::string_view list, Log& log) {
  std::int64_t count = 0;
  const bool open_end = !contains(list, "; OOB") && !contains(list, "[RO]");
  list = before(list, "; OOB");
  for (std::size_t at = list.find('['); at != std::string_view::npos; at = list.find('[', at + 1)) {
    if (!digits_in_brackets(list, at)) continue;
    const std::string_view item = before(list.substr(list.find(']', at) + 1), " ");
    const std::string_view layer = before(after(item, "/").value_or(""), "/");  // "mlx5_0:1/IB", with SHARP "mlx5_0:1/IB/SHARP"
    if (layer != "IB" && layer != "RoCE") continue;
    ++count;
    log.layers.insert(layer == "IB" ? "InfiniBand" : "Ethernet");
  }
  log.hcas = std::max(log.hcas, count);
  log.cut_list = log.cut_list || open_end;
  if (count > 0) log.device_found = log.device_found.value_or(true);
}

void read_interfaces(std::string_view list, Log& log) {
  std::int64_t count = 0;
  for (std::size_t at = list.find('['); at != std::string_view::npos; at = list.find('[', at + 1)) count += digits_in_brackets(list, at);
  log.socket_interfaces = std::max(log.socket_interfaces, count);
}

bool read_network(std::string_view text, Log& log) {
  if (const auto used = after(text, "Using network ")) {
    log.used = network_name(*used);
    return true;
  }
  const std::size_t net = text.find("NET/");
  if (net == std::string_view::npos) return false;
  const std::string_view rest = text.substr(net + 4);
  if (starts_with(rest, "IB : No device found")) return log.device_found = false, true;
  if (starts_with(rest, "OFI")) return log.announced = "OFI", true;
  for (const std::string_view mark : {" : Using ", ": Using "}) {
    const auto list = after(rest, mark);
    if (!list || !starts_with(*list, "[")) continue;
    log.announced = network_name(trim(before(rest, mark)));
    if (log.announced == "IB")
      read_adapters(*list, log);
    else
      read_interfaces(*list, log);
    return true;
  }
  return false;
}

void read_channel(std::string_view text, Log& log) {
  const auto via = after(text, " via NET/");
  if (!via) return;
  log.channels = network_name(before(*via, "/"));
  const bool direct = contains(*via, "GDRDMA");
  if (contains(text, "[receive]"))
    (direct ? log.gdr_receives : log.plain_receives) = true;
  else
    (direct ? log.gdr_sends : log.plain_sends) = true;
}

void read_gpudirect(std::string_view text, Log& log) {
  if (contains(text, "GPU Direct RDMA Disabled") || contains(text, "GPU Direct RDMA (nvidia-peermem) disabled") || contains(text, "disabling GDR"))
    log.gpudirect = false;
  else if (contains(text, "GPU Direct RDMA Enabled") || contains(text, "GDRDMA"))
    log.gpudirect = log.gpudirect.value_or(true);
}

/// "with error 12, opcode 0" and the newer "with status=IBV_WC_RETRY_EXC_ERR(12)"; the vendor's code may be on the next line.
void read_completion(std::string_view text, Log& log) {
  if (contains(text, "Got completion")) {
    log.completion_error = integer_after(text, "with error ");
    if (!log.completion_error) log.completion_error = integer_after(text, "error ");
    if (const auto status = word_after(text, "status=")) {  // "12" or "IBV_WC_RETRY_EXC_ERR(12)"
      log.completion_error = integer(*status);
      if (!log.completion_error) log.completion_error = integer_after(*status, "(");
    }
  }
  if (!log.completion_error) return;
  for (const std::string_view mark : {"vendor err ", "vendor_err=", "vendor_err "}) {
    if (const auto code = integer_after(text, mark); code && !log.vendor_error) log.vendor_error = code;
  }
}

void read_facts(std::string_view text, Log& log) {
  if (const auto version = after(text, "NCCL version ")) log.version = version_prefix(*version);
  for (const std::string_view mark : {"nranks ", "nRanks "}) {
    if (const auto ranks = integer_after(text, mark)) log.ranks = *ranks;
  }
  if (const auto plugin = after(text, "NET/OFI Initializing "))
    log.plugin = *plugin;
  else if (const auto loaded = after(text, "Loaded net plugin "))
    log.plugin = *loaded;
  for (const std::string_view mark : {"Selected Provider is ", "Selected provider is "}) {
    if (const auto provider = word_after(text, mark, ",;(")) log.provider = *provider;
  }
  if (const auto interface = after(text, "Bootstrap : Using ")) {
    std::string_view name = *interface;
    if (starts_with(name, "[")) name = after(name, "]").value_or("");
    log.bootstrap_interface = before(name, ":");
  }
  if (const auto warning = after(text, "NCCL WARN "); warning && log.error.empty()) log.error = *warning;
}

/// Hosts of the device list of nccl-tests ("#  Rank  0 Group  0 Pid  7 on  host device  0"), of the log's lines, and "nNodes 2" of new versions.
void read_nodes(std::string_view text, Log& log) {
  if (const auto nodes = integer_after(text, "nNodes ")) log.nodes = std::max(log.nodes, *nodes);
  if (const auto host = contains(text, "Rank ") && contains(text, " Pid ") ? word_after(text, " on ") : std::nullopt) {
    log.rank_hosts.insert(std::string(*host));
    ++log.ranks_listed;
  }
  if (!contains(text, " NCCL ")) return;
  const std::vector<std::string_view> word = words(text);
  if (contains(word[0], ":")) log.log_hosts.insert(std::string(before(word[0], ":")));
}

/// By a device list only where it is that of this log and holds all ranks.
std::optional<std::int64_t> nodes_of(const Log& log) {
  const auto writers = static_cast<std::int64_t>(log.log_hosts.size());
  if (log.nodes > 0) return std::max(log.nodes, writers);
  const bool same = !log.log_hosts.empty() && std::includes(log.rank_hosts.begin(), log.rank_hosts.end(), log.log_hosts.begin(), log.log_hosts.end());
  const bool all = log.ranks_listed > 1 && (!log.ranks || log.ranks_listed >= *log.ranks);
  return same && all ? std::optional(static_cast<std::int64_t>(log.rank_hosts.size())) : std::nullopt;
}

bool nccl_line(std::string_view text) {
  return contains(text, "NCCL INFO") || contains(text, "NCCL WARN") || contains(text, "NCCL version ") || contains(text, "NET/IB") ||
         contains(text, "NET/Socket");
}

std::optional<bool> gpudirect(const Log& log) {
  if (log.gpudirect && !*log.gpudirect) return false;
  if (log.channels == "IB" && (log.plain_sends || log.plain_receives) && !log.gdr_sends && !log.gdr_receives) return false;
  return log.gpudirect;
}

Value facts_of(const Log& log) {
  Value facts = Value::map();
  set_text(facts, "network", !log.used.empty() ? log.used : !log.channels.empty() ? log.channels : log.announced);
  if (log.hcas > 0) facts["hcas"] = log.hcas;
  if (!log.layers.empty()) {
    Value layers = Value::list();
    for (const std::string& layer : log.layers) layers.push_back(layer);
    facts["link_layers"] = std::move(layers);
  }
  if (log.socket_interfaces > 0) facts["socket_interfaces"] = log.socket_interfaces;
  set(facts, "gpudirect", gpudirect(log));
  if (log.gdr_sends || log.gdr_receives)
    facts["gpudirect_one_side"] =
        (log.gdr_sends && !log.gdr_receives && log.plain_receives) || (log.gdr_receives && !log.gdr_sends && log.plain_sends);
  set(facts, "ranks", log.ranks);
  set(facts, "nodes", nodes_of(log));
  set_text(facts, "nccl_version", log.version);
  set_text(facts, "plugin", log.plugin);
  set_text(facts, "provider", log.provider);
  set(facts, "ib_device_found", log.device_found);
  set(facts, "completion_error", log.completion_error);
  set(facts, "vendor_error", log.vendor_error);
  set_text(facts, "bootstrap_interface", log.bootstrap_interface);
  set_text(facts, "error", log.error);
  return facts;
}

}  // namespace

Records read_nccl_log(const Paste& paste) {
  Log log;
  int lines = 0;
  for (const Line& line : paste.lines) {
    const bool continued = log.completion_error && !log.vendor_error && line.number == log.last + 1;
    if (continued) read_completion(line.text, log);
    read_nodes(line.text, log);
    if (!nccl_line(line.text)) continue;
    lines += contains(line.text, "NCCL INFO") || contains(line.text, "NCCL WARN") || contains(line.text, "NET/");
    read_network(line.text, log);
    read_channel(line.text, log);
    read_gpudirect(line.text, log);
    read_completion(line.text, log);
    read_facts(line.text, log);
    if (log.first == 0) log.first = line.number;
    log.last = line.number;
  }
  ToolRecord record;
  record.facts = facts_of(log);
  const std::size_t counted = (record.facts.find("nccl_version") ? 1 : 0) + (record.facts.find("nodes") ? 1 : 0);
  if (lines == 0 || record.facts.as_map().size() == counted) return {};  // what a run of nccl-tests says by itself
  record.tool = "nccl-log";
  record.subject = "init";
  record.first_line = log.first;
  record.last_line = log.last;
  record.complete = !log.cut_list && !paste.elided_between(log.first, log.last);
  return {record};
}

}  // namespace steelyard::evidence
