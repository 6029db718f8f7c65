#include "probes/cuda/device.hpp"

namespace steelyard::probes::cuda {

void check(cudaError_t result, const char* what) {
  if (result != cudaSuccess) throw ProbeFailure(std::string(what) + ": " + cudaGetErrorString(result));
}

#ifndef STEELYARD_FAKE_GPU
double clock_s() { return now_s(); }
#endif

Devices find_devices() {
  Devices out;
  const cudaError_t result = cudaGetDeviceCount(&out.count);
  if (result != cudaSuccess) out = {0, cudaGetErrorString(result)};
  int driver = 0;
  if (result == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
    out.why_none = "no NVIDIA driver is installed here (libcuda.so.1 was not found)";  // CUDA's own words blame its version
  }
  if (out.count == 0 && out.why_none.empty()) out.why_none = "no GPU is visible to CUDA";
  return out;
}

void use_device(int device) { check(cudaSetDevice(device), "cudaSetDevice"); }

Stopwatch::Stopwatch() {
  check(cudaEventCreate(&start_), "cudaEventCreate");
  check(cudaEventCreate(&stop_), "cudaEventCreate");
}

Stopwatch::~Stopwatch() {
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
}

double Stopwatch::seconds() const {
  check(cudaEventSynchronize(stop_), "cudaEventSynchronize");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

MemoryInfo memory_of_device() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return {static_cast<double>(free), static_cast<double>(total)};
}

}  // namespace steelyard::probes::cuda
