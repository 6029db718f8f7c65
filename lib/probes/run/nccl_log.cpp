#include "probes/run/nccl_log.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "core/text.hpp"

namespace steelyard::probes {

namespace {

// "NET/IB/0(3)/GDRDMA" -> "NET/IB/GDRDMA": numbers name devices of this machine.
std::string without_devices(std::string_view via) {
  std::vector<std::string> kept;
  for (const std::string& part : split(via, '/')) {
    if (!part.empty() && !std::isdigit(static_cast<unsigned char>(part.front()))) kept.push_back(part.substr(0, part.find('(')));
  }
  return join(kept, "/");
}

}  // namespace

std::vector<Reading> nccl_transports(std::string_view log) {
  std::map<std::string, int> channels;
  for (const std::string& line : split(log, '\n')) {
    if (const auto via = line.find(" via "); via != std::string::npos && line.find("Channel") != std::string::npos) {
      const std::string rest = line.substr(via + 5);
      if (const std::string name = without_devices(rest.substr(0, rest.find_first_of(" \r"))); !name.empty()) ++channels[name];
    } else if (line.find("NVLS multicast support is available") != std::string::npos || line.find("nvls channels") != std::string::npos) {
      const auto place = line.find(" nvls channels");
      if (place == std::string::npos || (place > 0 && line[place - 1] != '0')) channels.emplace("NVLS", 0);
    }
  }
  std::vector<Reading> out;
  for (const auto& [name, count] : channels) out.push_back({"nccl_transport", name, count > 0 ? "channels: " + std::to_string(count) : "", {}});
  return out;
}

}  // namespace steelyard::probes
