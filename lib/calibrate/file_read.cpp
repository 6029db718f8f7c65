// Reads calibration files; every fault is an issue with its place.
#include <steelyard/calibrate.hpp>

#include "calibrate/file.hpp"
#include "load/fields.hpp"

namespace steelyard {

namespace {

using load::Document;
using load::Fields;
using load::Node;

constexpr double kMost = 1e30;

std::map<std::string, double> read_conditions(Fields& fields) {
  std::map<std::string, double> out;
  const Node* node = fields.node("at");
  if (!node) return out;
  Fields at(fields.document(), *node, fields.issues(), "at");
  for (const load::Entry& entry : node->entries) {
    if (const auto number = at.number(entry.key, 0, kMost)) out[entry.key] = *number;
  }
  return out;
}

int read_count(Fields& fields, const std::string& key, int otherwise) { return fields.integer(key).value_or(otherwise); }

TimeStatistics read_time(Fields& fields) {
  TimeStatistics out;
  out.median_s = fields.required_number("median_s", 0, kMost);
  out.mad_s = fields.number("mad_s", 0, kMost).value_or(0);
  out.min_s = fields.number("min_s", 0, kMost).value_or(out.median_s);
  out.p05_s = fields.number("p05_s", 0, kMost).value_or(out.median_s);
  out.p95_s = fields.number("p95_s", 0, kMost).value_or(out.median_s);
  out.samples = read_count(fields, "samples", 1);
  out.outliers = read_count(fields, "outliers", 0);
  out.throttled = read_count(fields, "throttled", 0);
  out.stable = fields.flag("stable").value_or(true);
  return out;
}

}  // namespace

namespace calibration {

Measurement read_measurement(Fields& fields) {
  Measurement out;
  out.metric = fields.required_text("metric");
  out.backend = fields.required_text("backend");
  out.at = read_conditions(fields);
  out.format = fields.text("format").value_or("");
  out.state = fields.word("state", {"cold", "steady"}).value_or("");
  out.value = fields.required_number("value", 0, kMost);
  out.unit = fields.word("unit", {"gb_per_s", "tflops", "us"}).value_or("");
  if (!fields.has("unit")) fields.fault("unit", "measurement: unit is missing", "add `unit: gb_per_s`, tflops or us");
  out.time = read_time(fields);
  out.node_spread = fields.number("node_spread", 0, kMost).value_or(0);
  out.method = fields.text("method").value_or("");
  fields.finish();
  return out;
}

Reading read_reading(Fields& fields) {
  Reading out{fields.required_text("name"), fields.required_text("value"), fields.text("unit").value_or(""), fields.integer("device")};
  fields.finish();
  return out;
}

ProbeOutcome read_outcome(Fields& fields) {
  ProbeOutcome out;
  out.probe = fields.required_text("probe");
  out.outcome = fields.word("outcome", {"measured", "not_available", "failed", "timed_out"}).value_or("");
  out.because = fields.text("because").value_or("");
  fields.finish();
  return out;
}

Coefficient read_coefficient(Fields& fields) {
  Coefficient out;
  out.name = fields.required_text("name");
  out.at = read_conditions(fields);
  out.value = fields.required_number("value", 0, kMost);
  out.unit = fields.required_text("unit");
  out.spread = fields.number("spread", 0, kMost).value_or(0);
  out.samples = read_count(fields, "samples", 0);
  out.fit_error_median = fields.number("fit_error_median", 0, kMost);
  out.fit_error_max = fields.number("fit_error_max", 0, kMost);
  out.node_spread = fields.number("node_spread", 0, kMost).value_or(0);
  out.confidence = fields.text("confidence").value_or("");
  fields.finish();
  return out;
}

CalibratedMachine read_machine(Fields& fields) {
  CalibratedMachine out;
  out.gpu = fields.text("gpu").value_or("");
  out.board = fields.text("board").value_or("");
  out.gpu_memory_gib = fields.number("gpu_memory_gib", 0, kMost);
  out.gpus_per_node = fields.integer("gpus_per_node", 1);
  out.ranks = fields.integer("ranks", 1).value_or(1);
  out.nodes = fields.integer("nodes", 1).value_or(1);
  out.cpu = fields.text("cpu").value_or("");
  out.cpu_threads = fields.integer("cpu_threads", 1);
  out.host_memory_gib = fields.number("host_memory_gib", 0, kMost);
  out.network = fields.word("network", {"infiniband", "roce", "efa", "tcpx", "omnipath", "ethernet"}).value_or("");
  out.network_gbit_per_s_per_node = fields.number("network_gbit_per_s_per_node", 0, kMost);
  fields.finish();
  return out;
}

}  // namespace calibration

namespace {

using namespace calibration;

template <class T>
std::vector<T> read_list(Fields& fields, const std::string& key, const std::string& what, T (*read)(Fields&)) {
  std::vector<T> out;
  const Node* list = fields.node(key);
  if (list) load::each_map(fields.document(), *list, fields.issues(), what, [&](Fields& one) { out.push_back(read(one)); });
  return out;
}

std::map<std::string, std::string> read_software(Fields& fields) {
  std::map<std::string, std::string> out;
  const Node* node = fields.node("software");
  if (!node) return out;
  Fields software(fields.document(), *node, fields.issues(), "software");
  for (const load::Entry& entry : node->entries) out[entry.key] = software.text(entry.key).value_or("");
  return out;
}

void check_schema(Fields& fields) {
  const std::string found = fields.required_text("schema");
  const std::string wanted(kSchema);
  if (!found.empty() && found != wanted) {
    fields.fault("schema", "schema: expected '" + wanted + "', found '" + found + "'", "give a file that `advise calibrate` wrote");
  }
}

Loaded<Calibration> read(const Document& document) {
  Loaded<Calibration> out;
  Fields fields(document, document.root, out.issues, "calibration");
  Calibration calibration;
  calibration.file = document.file;
  check_schema(fields);
  calibration.date = fields.text("date").value_or("");
  calibration.files = fields.integer("files", 1).value_or(1);
  if (const Node* node = fields.node("machine")) {
    Fields machine(document, *node, out.issues, "machine");
    calibration.machine = read_machine(machine);
  }
  calibration.software = read_software(fields);
  calibration.probes = read_list(fields, "probes", "probe", &read_outcome);
  calibration.coefficients = read_list(fields, "coefficients", "coefficient", &read_coefficient);
  calibration.readings = read_list(fields, "readings", "reading", &read_reading);
  calibration.measurements = read_list(fields, "measurements", "measurement", &read_measurement);
  fields.finish();
  if (!has_errors(out.issues)) out.value = std::move(calibration);
  return out;
}

Loaded<Calibration> read(Loaded<Document> document) {
  if (document.value) return read(*document.value);
  return {std::nullopt, std::move(document.issues)};
}

// Figures of one GPU hold for no other.
void check_same_gpu(const Calibration& first, const Calibration& other, Issues& issues) {
  if (first.machine.gpu == other.machine.gpu) return;
  Issue issue;
  issue.where.file = other.file;
  issue.message = "machine.gpu: '" + other.machine.gpu + "' differs from '" + first.machine.gpu + "' of " + first.file;
  issue.fix = "give calibration files of one kind of machine only";
  issues.push_back(std::move(issue));
}

}  // namespace

Loaded<Calibration> read_calibration(std::string text, const std::string& file) { return read(load::parse_document(std::move(text), file)); }

Loaded<Calibration> load_calibration(const std::filesystem::path& file) { return read(load::read_document(file.string())); }

Loaded<Calibration> load_calibrations(const std::vector<std::filesystem::path>& files) {
  Loaded<Calibration> out;
  std::vector<Calibration> several;
  for (const auto& file : files) {
    Loaded<Calibration> one = load_calibration(file);
    out.issues.insert(out.issues.end(), one.issues.begin(), one.issues.end());
    if (one.value) several.push_back(std::move(*one.value));
  }
  for (std::size_t i = 1; i < several.size(); ++i) check_same_gpu(several.front(), several[i], out.issues);
  if (!several.empty() && !has_errors(out.issues)) out.value = merge_calibrations(several);
  return out;
}

Loaded<std::vector<Calibration>> calibrations_from_value(const Value& value, const std::string& source) {
  const std::vector<Value> given = value.is_list() ? value.as_list() : std::vector<Value>{value};
  Loaded<std::vector<Calibration>> out;
  std::vector<Calibration> found;
  for (const Value& one : given) {
    Loaded<Calibration> read;
    if (one.is_string()) read = load_calibration(one.as_string());
    if (one.is_map()) read = read_calibration(to_json(one), source);
    if (!one.is_string() && !one.is_map()) {
      Issue issue;
      issue.where.file = source;
      issue.message = "expected the path of a calibration file or a calibration, found " + to_json(one);
      issue.fix = "give what `advise calibrate` wrote";
      read.issues.push_back(std::move(issue));
    }
    out.issues.insert(out.issues.end(), read.issues.begin(), read.issues.end());
    if (read.value) found.push_back(std::move(*read.value));
  }
  if (!has_errors(out.issues)) out.value = std::move(found);
  return out;
}

}  // namespace steelyard
