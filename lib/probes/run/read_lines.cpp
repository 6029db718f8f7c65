#include <algorithm>

#include "calibrate/file.hpp"
#include "probes/run/lines.hpp"

namespace steelyard::probes {

void merge_machine(const CalibratedMachine& found, CalibratedMachine& into) {
  if (!found.gpu.empty()) into.gpu = found.gpu;
  if (!found.board.empty()) into.board = found.board;
  if (found.gpu_memory_gib) into.gpu_memory_gib = found.gpu_memory_gib;
  if (found.gpus_per_node) into.gpus_per_node = found.gpus_per_node;
  into.ranks = std::max(into.ranks, found.ranks);
  into.nodes = std::max(into.nodes, found.nodes);
  if (!found.cpu.empty()) into.cpu = found.cpu;
  if (found.cpu_threads) into.cpu_threads = found.cpu_threads;
  if (found.host_memory_gib) into.host_memory_gib = found.host_memory_gib;
  if (!found.network.empty()) into.network = found.network;
  if (found.network_gbit_per_s_per_node) into.network_gbit_per_s_per_node = found.network_gbit_per_s_per_node;
}

bool take_line(std::string_view line, Calibration& into) {
  const auto document = load::parse_json(std::string(line), "probe");
  if (!document.value || document.value->root.kind != load::Node::Kind::map || document.value->root.entries.size() != 1) return false;
  const load::Entry& entry = document.value->root.entries.front();
  Issues issues;
  load::Fields fields(*document.value, entry.value, issues, entry.key);
  if (entry.key == "measurement") {
    Measurement one = calibration::read_measurement(fields);
    if (issues.empty()) into.measurements.push_back(std::move(one));
  } else if (entry.key == "reading") {
    Reading one = calibration::read_reading(fields);
    if (issues.empty()) into.readings.push_back(std::move(one));
  } else if (entry.key == "machine") {
    const CalibratedMachine one = calibration::read_machine(fields);
    if (issues.empty()) merge_machine(one, into.machine);
  } else if (entry.key == "software") {
    for (const load::Entry& one : entry.value.entries) into.software[one.key] = one.value.text;
  } else {
    return false;
  }
  return issues.empty();
}

}  // namespace steelyard::probes
