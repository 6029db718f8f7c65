// Owned things of the CUDA runtime; every failed call is a ProbeFailure with CUDA's text.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "probes/probe.hpp"

namespace steelyard::probes::cuda {

/// Throws ProbeFailure "cudaMalloc: out of memory".
void check(cudaError_t result, const char* what);

/// Seconds of the clock by which work of the host is timed. Of the build for tests: the clock of its simulated devices.
double clock_s();

/// Number of devices; the reason where there is none or no driver.
struct Devices {
  int count = 0;
  std::string why_none;
};
Devices find_devices();
void use_device(int device);

/// Memory of the current device.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes) : bytes_(bytes) { check(cudaMalloc(&data_, bytes), "cudaMalloc"); }
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Buffer() { cudaFree(data_); }

  void* data() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Pinned memory of the host.
class Pinned {
 public:
  explicit Pinned(std::size_t bytes) { check(cudaMallocHost(&data_, bytes), "cudaMallocHost"); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { cudaFreeHost(data_); }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

class Stream {
 public:
  Stream() { check(cudaStreamCreate(&stream_), "cudaStreamCreate"); }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (stream_) cudaStreamDestroy(stream_);
  }
  cudaStream_t get() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Two marks in a stream and the time between them.
class Stopwatch {
 public:
  Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch();
  void start(const Stream& stream) { check(cudaEventRecord(start_, stream.get()), "cudaEventRecord"); }
  void stop(const Stream& stream) { check(cudaEventRecord(stop_, stream.get()), "cudaEventRecord"); }
  /// Waits for the second mark; seconds between the two.
  double seconds() const;

 private:
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

/// Seconds that `work`, called `repeats` times, takes on the stream.
template <class Work>
double timed(const Stream& stream, Stopwatch& watch, int repeats, Work work) {
  watch.start(stream);
  for (int i = 0; i < repeats; ++i) work();
  watch.stop(stream);
  return watch.seconds();
}

struct MemoryInfo {
  double free_bytes = 0, total_bytes = 0;
};
MemoryInfo memory_of_device();

}  // namespace steelyard::probes::cuda
