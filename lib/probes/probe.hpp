// A probe measures one thing on one machine; it runs in a child process and says why it cannot run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <steelyard/calibrate.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "probes/ranks/launcher.hpp"

namespace steelyard::probes {

/// What a child process is asked to do.
struct Request {
  std::string probe;                     // "host.memory"
  double budget_s = 10;                  // seconds of measuring
  double most_bytes = 8589934592.0;      // largest buffer, before the device's memory limits it
  std::vector<std::string> mpi_plugins;  // where the MPI plugin may lie
};
Loaded<Request> read_request(const std::string& json);
std::string to_json(const Request& request);

/// Wrong data, a failed call: the probe has no result.
class ProbeFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// The probe cannot run here; not a fault.
class NotAvailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Takes results as they come; each one is on its way to the parent when `add` returns, so that a later crash does not lose it.
class Output {
 public:
  using Write = std::function<void(std::string_view line)>;
  explicit Output(Write write) : write_(std::move(write)) {}

  void add(const Measurement& measurement);
  void add(const Reading& reading);
  void software(const std::string& name, const std::string& version);
  /// Facts of the machine; empty members leave what is known.
  void machine(const CalibratedMachine& machine);

 private:
  Write write_;
};

/// Blocking; no retries inside. `run` throws ProbeFailure or NotAvailable.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual std::string_view name() const = 0;
  virtual std::optional<std::string> why_unavailable() const = 0;  // empty: can run here
  virtual void run(const Request& request, Output& output) = 0;
};

/// Probes on CPUs, always built.
std::vector<std::unique_ptr<Probe>> host_probes();

/// Runs the probe of that name: one of the results of probe_abi.h, the reason in `why`.
int run_probe(const std::vector<std::unique_ptr<Probe>>& probes, const Request& request, Output& output, std::string& why);

/// Seconds of a steady clock.
double now_s();

}  // namespace steelyard::probes
