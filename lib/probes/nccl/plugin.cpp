// The C table of the NCCL plugin.
#include <steelyard/probe_abi.h>

#include <cstdio>
#include <cstdlib>

#include "probes/nccl/engine.hpp"
#include "probes/run/lines.hpp"

namespace steelyard::probes::nccl {

namespace {

constexpr double kPatience = 60;  // seconds: rank 0 comes late, it measures its own machine first

std::string version_text() {
  int version = 0;
  check(ncclGetVersion(&version), "ncclGetVersion");
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

class CollectivesProbe final : public Probe {
 public:
  std::string_view name() const override { return "nccl.collectives"; }

  std::optional<std::string> why_unavailable() const override {
    const cuda::Devices devices = cuda::find_devices();
    if (devices.count == 0) return devices.why_none;
    if (devices.count < 2 && find_launcher(process_environment()).size < 2) return "one GPU and one process: there is nothing to talk to";
    return std::nullopt;
  }

  void run(const Request& request, Output& output) override {
    // The transports that NCCL chooses are read from its log by the parent.
    setenv("NCCL_DEBUG", "INFO", 0);
    setenv("NCCL_DEBUG_SUBSYS", "INIT,GRAPH,NET,P2P,SHM", 0);
    const Launcher launcher = find_launcher(process_environment());
    const auto processes = open_ranks(launcher, request.mpi_plugins, "nccl.collectives", kPatience + request.budget_s);
    output.software("nccl", version_text());
    NcclCollectives engine(processes.get(), launcher.local_rank);
    CalibratedMachine machine;
    machine.ranks = engine.ranks();
    machine.nodes = engine.nodes();
    output.machine(machine);
    measure_collectives(engine, request, output);
  }
};

std::vector<std::unique_ptr<Probe>> nccl_probes() {
  std::vector<std::unique_ptr<Probe>> out;
  out.push_back(std::make_unique<CollectivesProbe>());
  return out;
}

const char* const kProbes[] = {"nccl.collectives", nullptr};

int available(char* why, size_t why_size) {
  const auto reason = CollectivesProbe().why_unavailable();
  std::snprintf(why, why_size, "%s", reason.value_or("").c_str());
  return reason ? 0 : 1;
}

int run(const char* request, int descriptor, char* error, size_t error_size) {
  return run_request(nccl_probes(), request, descriptor, error, error_size);
}

const steelyard_probe_table kTable = {STEELYARD_PROBE_ABI, "nccl", kProbes, available, run};

}  // namespace

}  // namespace steelyard::probes::nccl

extern "C" __attribute__((visibility("default"))) const steelyard_probe_table* steelyard_probe_entry() { return &steelyard::probes::nccl::kTable; }
