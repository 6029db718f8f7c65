// The C table of the CUDA plugin.
#include <steelyard/probe_abi.h>

#include <cstdio>

#include "probes/cuda/probes.hpp"
#include "probes/run/lines.hpp"

namespace {

using namespace steelyard::probes;

const char* const kProbes[] = {"cuda.state",     "cuda.memory", "cuda.transfer", "cuda.peer", "cuda.launch",
                               "cuda.processes", "cuda.gemm",   "cuda.stress",   nullptr};

int available(char* why, size_t why_size) {
  const cuda::Devices devices = cuda::find_devices();
  std::snprintf(why, why_size, "%s", devices.why_none.c_str());
  return devices.count > 0 ? 1 : 0;
}

int run(const char* request, int descriptor, char* error, size_t error_size) {
  return run_request(cuda::cuda_probes(), request, descriptor, error, error_size);
}

const steelyard_probe_table kTable = {STEELYARD_PROBE_ABI, "cuda", kProbes, available, run};

}  // namespace

extern "C" __attribute__((visibility("default"))) const steelyard_probe_table* steelyard_probe_entry() { return &kTable; }
