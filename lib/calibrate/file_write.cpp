// Writes calibration files: YAML, one measurement a line.
#include <algorithm>
#include <cctype>
#include <steelyard/calibrate.hpp>

#include "calibrate/file.hpp"
#include "core/text.hpp"

namespace steelyard {

namespace {

Value conditions(const std::map<std::string, double>& at) {
  Value out = Value::map();
  for (const auto& [name, value] : at) out[name] = value;
  return out;
}

void add_text(Value& map, std::string_view key, const std::string& text) {
  if (!text.empty()) map[key] = text;
}

void add_number(Value& map, std::string_view key, const std::optional<double>& number) {
  if (number) map[key] = *number;
}

}  // namespace

namespace calibration {

Value value_of(const Measurement& one) {
  Value out = Value::map();
  out["metric"] = one.metric;
  out["backend"] = one.backend;
  if (!one.at.empty()) out["at"] = conditions(one.at);
  add_text(out, "format", one.format);
  add_text(out, "state", one.state);
  out["value"] = one.value;
  out["unit"] = one.unit;
  out["median_s"] = one.time.median_s;
  out["mad_s"] = one.time.mad_s;
  out["min_s"] = one.time.min_s;
  out["p05_s"] = one.time.p05_s;
  out["p95_s"] = one.time.p95_s;
  out["samples"] = one.time.samples;
  if (one.time.outliers > 0) out["outliers"] = one.time.outliers;
  if (one.time.throttled > 0) out["throttled"] = one.time.throttled;
  if (!one.time.stable) out["stable"] = false;
  if (one.node_spread > 0) out["node_spread"] = one.node_spread;
  add_text(out, "method", one.method);
  return out;
}

Value value_of(const Reading& one) {
  Value out = Value::map();
  out["name"] = one.name;
  out["value"] = one.value;
  add_text(out, "unit", one.unit);
  if (one.device) out["device"] = *one.device;
  return out;
}

Value value_of(const ProbeOutcome& one) {
  Value out = Value::map();
  out["probe"] = one.probe;
  out["outcome"] = one.outcome;
  add_text(out, "because", one.because);
  return out;
}

Value value_of(const Coefficient& one) {
  Value out = Value::map();
  out["name"] = one.name;
  if (!one.at.empty()) out["at"] = conditions(one.at);
  out["value"] = one.value;
  out["unit"] = one.unit;
  out["spread"] = one.spread;
  out["samples"] = one.samples;
  add_number(out, "fit_error_median", one.fit_error_median);
  add_number(out, "fit_error_max", one.fit_error_max);
  if (one.node_spread > 0) out["node_spread"] = one.node_spread;
  out["confidence"] = one.confidence;
  return out;
}

Value value_of(const CalibratedMachine& machine) {
  Value out = Value::map();
  add_text(out, "gpu", machine.gpu);
  add_text(out, "board", machine.board);
  add_number(out, "gpu_memory_gib", machine.gpu_memory_gib);
  if (machine.gpus_per_node) out["gpus_per_node"] = *machine.gpus_per_node;
  out["ranks"] = machine.ranks;
  out["nodes"] = machine.nodes;
  add_text(out, "cpu", machine.cpu);
  if (machine.cpu_threads) out["cpu_threads"] = *machine.cpu_threads;
  add_number(out, "host_memory_gib", machine.host_memory_gib);
  add_text(out, "network", machine.network);
  add_number(out, "network_gbit_per_s_per_node", machine.network_gbit_per_s_per_node);
  return out;
}

}  // namespace calibration

namespace {

template <class T>
Value list_of(const std::vector<T>& items) {
  Value out = Value::list();
  for (const T& item : items) out.push_back(calibration::value_of(item));
  return out;
}

// A word that YAML reads as a text without quotes.
bool is_plain(const std::string& text) {
  static const std::vector<std::string> special{"null", "true", "false", "yes", "no", "on", "off", "y", "n"};
  const auto ok = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == '/'; };
  if (text.empty() || !std::isalpha(static_cast<unsigned char>(text[0])) || !std::all_of(text.begin(), text.end(), ok)) return false;
  return std::find(special.begin(), special.end(), to_lower(text)) == special.end();
}

std::string inline_yaml(const Value& value) {
  if (value.is_string()) return is_plain(value.as_string()) ? value.as_string() : to_json(value);
  if (value.is_number()) return value.is_int() ? std::to_string(value.as_int()) : format_number(value.as_number());
  if (!value.is_map()) return to_json(value);
  std::vector<std::string> parts;
  for (const auto& [key, item] : value.as_map()) parts.push_back(key + ": " + inline_yaml(item));
  return "{" + join(parts, ", ") + "}";
}

}  // namespace

std::optional<double> Measurement::condition(std::string_view name) const {
  const auto found = at.find(std::string(name));
  return found == at.end() ? std::nullopt : std::optional(found->second);
}

Value to_value(const Calibration& calibration) {
  Value out = Value::map();
  out["schema"] = calibration::kSchema;
  add_text(out, "date", calibration.date);
  if (calibration.files > 1) out["files"] = calibration.files;
  out["machine"] = calibration::value_of(calibration.machine);
  Value software = Value::map();
  for (const auto& [name, version] : calibration.software) software[name] = version;
  out["software"] = std::move(software);
  out["probes"] = list_of(calibration.probes);
  out["coefficients"] = list_of(calibration.coefficients);
  out["readings"] = list_of(calibration.readings);
  out["measurements"] = list_of(calibration.measurements);
  return out;
}

std::string to_yaml(const Calibration& calibration) {
  std::string out = "# What was measured on this machine; docs/reference/calibration.md explains every key.\n";
  const Value all = to_value(calibration);
  for (const auto& [key, value] : all.as_map()) {
    out += key + ":";
    if (!value.is_list() || value.as_list().empty()) {
      out += " " + inline_yaml(value) + "\n";
      continue;
    }
    out += "\n";
    for (const Value& item : value.as_list()) out += "  - " + inline_yaml(item) + "\n";
  }
  return out;
}

}  // namespace steelyard
