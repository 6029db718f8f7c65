// Measured outputs as a calibration: curves and rates with their method, without identities.
#include <steelyard/evidence.hpp>

#include "evidence/judge.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard {

namespace {

Value measurement(const std::string& metric, const std::string& unit, const Value& median, const ToolRecord& record) {
  Value entry = Value::map();
  entry["metric"] = metric;
  entry["unit"] = unit;
  entry["median"] = median;
  entry["method"] = record.tool + (record.tool_version.empty() ? "" : " " + record.tool_version);
  for (const char* key : {"ranks", "nodes", "gpus", "nccl_version", "driver", "cuda"}) {
    if (const Value* value = record.facts.find(key)) entry[key] = *value;
  }
  if (const Board* board = evidence::board_of(record, Catalog::embedded())) entry["gpu"] = board->id;
  return entry;
}

void add(const ToolRecord& record, const char* fact, const std::string& metric, const std::string& unit, Value& list) {
  if (const Value* value = record.facts.find(fact)) list.push_back(measurement(metric, unit, *value, record));
}

}  // namespace

Value as_calibration(const std::vector<ToolRecord>& records) {
  Value list = Value::list();
  for (const ToolRecord& record : records) {
    if (record.tool == "nccl-tests" || record.tool == "rccl-tests") {
      const std::string name = record.subject.empty() ? "collective" : record.subject;
      add(record, "peak_busbw_gb_per_s", name + ".bus_bandwidth", "gb_per_s", list);
      if (const Value* bytes = record.facts.find("peak_at_bytes"); bytes && !list.as_list().empty()) list.as_list().back()["message_bytes"] = *bytes;
      add(record, "latency_us", name + ".latency", "us", list);
    }
    if (record.tool == "perftest") add(record, "bandwidth_gbit_per_s", "rdma." + record.subject, "gbit_per_s", list);
    if (record.tool == "babelstream" || record.tool == "gpu-stream") add(record, "triad_gb_per_s", "device_memory.triad", "gb_per_s", list);
    if (record.tool == "stream") add(record, "triad_gb_per_s", "host_memory.triad", "gb_per_s", list);
    if (record.tool == "nvbandwidth") add(record, "min_gb_per_s", "copy." + record.subject, "gb_per_s", list);
  }
  Value calibration = Value::map();
  calibration["schema"] = "steelyard.calibration/1";
  calibration["measurements"] = std::move(list);
  return calibration;
}

}  // namespace steelyard
