#include "probes/host/system.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
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

}  // namespace steelyard::probes
