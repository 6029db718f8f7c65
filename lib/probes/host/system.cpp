#include "probes/host/system.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "core/text.hpp"

namespace steelyard::probes {

namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// "32768K" or "8M" -> bytes.
double cache_size(const std::string& text) {
  if (text.empty()) return 0;
  const auto number = parse_number(text.substr(0, text.find_first_not_of("0123456789.")));
  const double unit = text.back() == 'K' ? 1024 : text.back() == 'M' ? 1048576 : 1;
  return number.value_or(0) * unit;
}

std::optional<double> meminfo(const std::string& key) {
  std::ifstream in("/proc/meminfo");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(key + ":", 0) != 0) continue;
    const auto words = split(trim(line.substr(key.size() + 1)), ' ');
    if (const auto kib = parse_number(words.front())) return *kib * 1024;
  }
  return std::nullopt;
}

}  // namespace

std::string processor_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto colon = line.find(':');
    if (colon != std::string::npos) return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

double last_cache_bytes() {
  double sum = 0;
  std::set<std::string> seen;  // caches shared by several processors count once
  std::error_code none;
  for (int processor = 0;; ++processor) {
    const std::filesystem::path caches = "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/cache";
    if (!std::filesystem::exists(caches, none)) break;
    std::filesystem::path last;
    int level = 0;
    for (const auto& entry : std::filesystem::directory_iterator(caches, none)) {
      const auto here = parse_integer(first_line(entry.path() / "level"));
      if (here && *here > level) level = static_cast<int>(*here), last = entry.path();
    }
    if (last.empty() || !seen.insert(first_line(last / "shared_cpu_list")).second) continue;
    sum += cache_size(first_line(last / "size"));
  }
  return sum > 0 ? sum : 32 * 1048576.0;
}

std::optional<double> memory_bytes() {
  auto out = meminfo("MemTotal");
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    const auto limit = parse_number(first_line(file));
    if (limit && *limit > 0 && (!out || *limit < *out)) out = limit;
  }
  return out;
}

std::optional<double> available_bytes() {
  const auto free = meminfo("MemAvailable"), all = memory_bytes();
  return free && all ? std::optional(std::min(*free, *all)) : free ? free : all;
}

namespace {

// "InfiniBand", "Ethernet"; Amazon's adapters leave the layer open and are known by their driver.
std::string kind_of_port(const std::filesystem::path& device, const std::filesystem::path& port) {
  const std::string layer = first_line(port / "link_layer");
  if (layer == "InfiniBand") return "infiniband";
  if (layer == "Ethernet") return "roce";
  std::error_code none;
  return std::filesystem::read_symlink(device / "device/driver", none).filename() == "efa" ? "efa" : "";
}

}  // namespace

std::optional<NetworkPorts> network_ports(const std::filesystem::path& devices) {
  std::error_code none;
  std::map<std::string, double> gbit;
  for (const auto& device : std::filesystem::directory_iterator(devices, none)) {
    for (const auto& port : std::filesystem::directory_iterator(device.path() / "ports", none)) {
      if (first_line(port.path() / "state").find("ACTIVE") == std::string::npos) continue;
      const std::string rate = first_line(port.path() / "rate");  // "400 Gb/sec (4X NDR)"
      gbit[kind_of_port(device.path(), port.path())] += parse_number(rate.substr(0, rate.find(' '))).value_or(0);
    }
  }
  gbit.erase("");
  const auto most = std::max_element(gbit.begin(), gbit.end(), [](const auto& one, const auto& other) { return one.second < other.second; });
  if (most == gbit.end() || most->second <= 0) return std::nullopt;
  return NetworkPorts{most->first, most->second};
}

}  // namespace steelyard::probes
