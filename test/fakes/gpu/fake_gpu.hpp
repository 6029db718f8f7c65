// Simulated GPUs on the host: memory is host memory, kernels run on the calling thread, time is a clock of its own that each call moves on.
// Faults, slowness and wrong data on demand. Only the calls that the probes use.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace steelyard::fakes {

/// The simulated machine. Rates in bytes/s and op/s, times in seconds.
struct Gpus {
  int devices = 2;
  std::string name = "NVIDIA A100-SXM4-80GB";
  std::size_t memory_bytes = std::size_t{4} << 20;  // small, so that the host gets through it fast
  double memory_rate = 1.7e12;                      // kernels, by the traffic that they state
  double host_link_rate = 24e9;                     // copies between host and device
  double peer_rate = 250e9;                         // copies between devices
  double copy_latency_s = 5e-6;
  double launch_s = 4e-6;        // of the host, a launch
  double product_rate = 250e12;  // matrix products
  double collective_latency_s = 20e-6;
  double collective_rate = 230e9;  // bus bandwidth
  bool peer_access = true;
  bool has_fp8 = false;
  unsigned long long throttle_bits = 0;  // as NVML tells them
  std::string no_driver;                 // "old" or "none": cudaGetDeviceCount fails

  /// Name of a call -> how many calls of it still succeed before all fail. "ncclAllReduce" -> 0: the first one fails.
  std::map<std::string, int> fail;
  /// Name of a call after which one byte of its result is wrong; "" for none. Kernels: "kernel".
  std::string corrupt;
  /// Name of a call that never returns; "" for none.
  std::string hang;
};

/// The machine of this process; change it before a test and `reset` it after. The variable STEELYARD_FAKE_GPU sets it at the start:
/// "devices=1,fail=cudaMalloc:3,corrupt=ncclAllReduce,hang=cublasLtMatmul,no_driver=old".
Gpus& gpus();
/// The machine as after the start, all clocks at 0.
void reset();
/// The simulated clock of the calling thread, in seconds.
double now_s();

}  // namespace steelyard::fakes
