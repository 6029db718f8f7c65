#include "probes/probe.hpp"

#include <steelyard/probe_abi.h>

#include <chrono>

#include "calibrate/file.hpp"
#include "load/fields.hpp"

namespace steelyard::probes {

namespace {

Value tagged(const char* tag, Value value) {
  Value out = Value::map();
  out[tag] = std::move(value);
  return out;
}

}  // namespace

Loaded<Request> read_request(const std::string& json) {
  Loaded<Request> out;
  const auto document = load::parse_json(json, "request");
  if (!document.value) return {std::nullopt, document.issues};
  load::Fields fields(*document.value, document.value->root, out.issues, "request");
  Request request;
  request.probe = fields.required_text("probe");
  request.budget_s = fields.number("budget_s", 0, 1e6).value_or(request.budget_s);
  request.most_bytes = fields.number("most_bytes", 8, 1e15).value_or(request.most_bytes);
  request.mpi_plugins = fields.texts("mpi_plugins");
  fields.finish();
  if (!has_errors(out.issues)) out.value = std::move(request);
  return out;
}

std::string to_json(const Request& request) {
  Value out = Value::map();
  out["probe"] = request.probe;
  out["budget_s"] = request.budget_s;
  out["most_bytes"] = request.most_bytes;
  out["mpi_plugins"] = Value::list();
  for (const std::string& plugin : request.mpi_plugins) out["mpi_plugins"].push_back(plugin);
  return steelyard::to_json(out);
}

void Output::add(const Measurement& measurement) { write_(steelyard::to_json(tagged("measurement", calibration::value_of(measurement)))); }

void Output::add(const Reading& reading) { write_(steelyard::to_json(tagged("reading", calibration::value_of(reading)))); }

void Output::software(const std::string& name, const std::string& version) {
  write_(steelyard::to_json(tagged("software", tagged(name.c_str(), version))));
}

void Output::machine(const CalibratedMachine& machine) { write_(steelyard::to_json(tagged("machine", calibration::value_of(machine)))); }

int run_probe(const std::vector<std::unique_ptr<Probe>>& probes, const Request& request, Output& output, std::string& why) {
  for (const auto& probe : probes) {
    if (probe->name() != request.probe) continue;
    try {
      if (const auto reason = probe->why_unavailable()) throw NotAvailable(*reason);
      probe->run(request, output);
      return STEELYARD_PROBE_OK;
    } catch (const NotAvailable& reason) {
      why = reason.what();
      return STEELYARD_PROBE_NOT_AVAILABLE;
    } catch (const std::exception& fault) {
      why = fault.what();
      return STEELYARD_PROBE_FAILED;
    }
  }
  why = "there is no probe '" + request.probe + "'";
  return STEELYARD_PROBE_FAILED;
}

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace steelyard::probes
