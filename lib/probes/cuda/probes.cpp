#include "probes/cuda/probes.hpp"

namespace steelyard::probes::cuda {

std::vector<std::unique_ptr<Probe>> cuda_probes() {
  std::vector<std::unique_ptr<Probe>> out;
  out.push_back(state_probe());
  out.push_back(memory_probe());
  out.push_back(transfer_probe());
  out.push_back(peer_probe());
  out.push_back(launch_probe());
  out.push_back(processes_probe());
  out.push_back(gemm_probe());
  out.push_back(stress_probe());
  return out;
}

}  // namespace steelyard::probes::cuda
