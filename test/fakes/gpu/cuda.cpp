// Devices, memory, streams and events.
#include <cuda_runtime.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sstream>
#include <utility>

#include "fakes/gpu/device.hpp"

struct FakeStream {
  int device = 0;
  double end = 0;  // when its last work ends
};
struct FakeEvent {
  double when = 0;
};

thread_local FakeIndex threadIdx, blockIdx, blockDim;

namespace steelyard::fakes {

namespace {

thread_local double clock_of_thread = 0;
thread_local int device_of_thread = 0;
thread_local bool context_made = false;
thread_local std::vector<std::uint64_t> last_call;
std::mutex guard;
std::map<void*, std::pair<int, std::size_t>> allocations;  // device, bytes
std::map<std::pair<int, int>, bool> peers;

int number_after(const std::string& text) { return std::atoi(text.c_str()); }

void set(Gpus& machine, const std::string& key, const std::string& value) {
  if (key == "devices") machine.devices = number_after(value);
  if (key == "no_driver") machine.no_driver = value;
  if (key == "corrupt") machine.corrupt = value;
  if (key == "hang") machine.hang = value;
  if (key == "name") machine.name = value;
  if (key == "fail")
    machine.fail[value.substr(0, value.find(':'))] = value.find(':') == std::string::npos ? 0 : number_after(value.substr(value.find(':') + 1));
}

Gpus from_environment() {
  Gpus out;
  const char* text = std::getenv("STEELYARD_FAKE_GPU");
  std::istringstream words(text ? text : "");
  for (std::string word; std::getline(words, word, ',');) {
    const auto equals = word.find('=');
    set(out, word.substr(0, equals), equals == std::string::npos ? "" : word.substr(equals + 1));
  }
  return out;
}

std::size_t used_on(int device) {
  std::size_t sum = 0;
  for (const auto& [place, what] : allocations) {
    if (what.first == device) sum += what.second;
  }
  return sum;
}

}  // namespace

Gpus& gpus() {
  static Gpus machine = from_environment();
  return machine;
}

void reset() {
  gpus() = from_environment();
  clock_of_thread = 0;
  device_of_thread = 0;
  context_made = false;
  last_call.clear();
  peers.clear();
}

double now_s() { return clock_of_thread; }
int current_device() { return device_of_thread; }

bool faulty(const char* call) {
  if (gpus().hang == call) {
    for (;;) pause();
  }
  const std::lock_guard<std::mutex> lock(guard);
  const auto found = gpus().fail.find(call);
  if (found == gpus().fail.end()) return false;
  return found->second-- <= 0;
}

void maybe_corrupt(const char* call, void* data, std::size_t bytes) {
  if (gpus().corrupt == call && bytes > 0) static_cast<unsigned char*>(data)[bytes / 2] ^= 0x40;
}

bool repeats_last(const std::vector<std::uint64_t>& call) {
  if (call == last_call) return true;
  last_call = call;
  return false;
}

void enqueue(cudaStream_t stream, double seconds) {
  if (!stream) {
    host_works(seconds);
    return;
  }
  stream->end = std::max(stream->end, clock_of_thread) + seconds;
}

double end_of(cudaStream_t stream) { return std::max(stream ? stream->end : 0, clock_of_thread); }
void set_end(cudaStream_t stream, double when) { stream->end = when; }
void wait_until(double when) { clock_of_thread = std::max(clock_of_thread, when); }
void host_works(double seconds) { clock_of_thread += seconds; }

}  // namespace steelyard::fakes

using namespace steelyard::fakes;

namespace {

// One call of the runtime: fails on demand, else goes on.
#define FAULT_POINT(error) \
  if (faulty(__func__)) return error

double seconds_of_copy(std::size_t bytes, cudaMemcpyKind kind) {
  const double rate = kind == cudaMemcpyDeviceToDevice ? gpus().memory_rate / 2 : gpus().host_link_rate;
  return gpus().copy_latency_s + static_cast<double>(bytes) / rate;
}

std::uint64_t word(const void* place) { return reinterpret_cast<std::uint64_t>(place); }

}  // namespace

cudaError_t fake_launch(cudaStream_t stream, std::size_t threads, unsigned block, double bytes, const std::vector<std::uint64_t>& call,
                        const std::function<void()>& body) {
  if (faulty("kernel")) return cudaErrorLaunchFailure;
  host_works(gpus().launch_s);
  enqueue(stream, bytes / gpus().memory_rate);
  if (repeats_last(call)) return cudaSuccess;
  blockDim.x = block;
  const std::size_t blocks = std::max<std::size_t>(1, (threads + block - 1) / block);
  for (std::size_t at = 0; at < blocks; ++at) {
    blockIdx.x = static_cast<unsigned>(at);
    for (threadIdx.x = 0; threadIdx.x < block; ++threadIdx.x) body();
  }
  // The second word of a call is its first argument: what the kernel writes.
  if (call.size() > 2) maybe_corrupt("kernel", reinterpret_cast<void*>(call[1]), 16);
  return cudaSuccess;
}

extern "C" {

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInsufficientDriver: return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorLaunchFailure: return "unspecified launch failure";
    default: return "invalid argument";
  }
}

cudaError_t cudaGetLastError() { return cudaSuccess; }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  if (!gpus().no_driver.empty()) return cudaErrorInsufficientDriver;
  FAULT_POINT(cudaErrorNoDevice);
  *count = gpus().devices;
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaSetDevice(int device) {
  FAULT_POINT(cudaErrorInvalidDevice);
  if (device < 0 || device >= gpus().devices) return cudaErrorInvalidDevice;
  device_of_thread = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  FAULT_POINT(cudaErrorInvalidDevice);
  if (device < 0 || device >= gpus().devices) return cudaErrorInvalidDevice;
  std::snprintf(properties->name, sizeof properties->name, "%s", gpus().name.c_str());
  properties->totalGlobalMem = std::size_t{85} * 1000 * 1000 * 1000;  // what the real board reports
  properties->major = 8, properties->minor = 0, properties->multiProcessorCount = 108;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  FAULT_POINT(cudaErrorInvalidDevice);
  std::snprintf(text, static_cast<std::size_t>(size), "0000:%02X:00.0", 0x10 + device);
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = gpus().no_driver == "none" ? 0 : 13010;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  FAULT_POINT(cudaErrorInvalidValue);
  const std::lock_guard<std::mutex> lock(guard);
  *total = gpus().memory_bytes;
  *free = *total - std::min(*total, used_on(device_of_thread));
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  *data = nullptr;
  FAULT_POINT(cudaErrorMemoryAllocation);
  const std::lock_guard<std::mutex> lock(guard);
  // The workspace of products would not fit into a simulated device: it is not counted.
  const bool workspace = bytes == std::size_t{64} << 20;
  if (!workspace && used_on(device_of_thread) + bytes > gpus().memory_bytes) return cudaErrorMemoryAllocation;
  *data = std::aligned_alloc(256, (std::max<std::size_t>(bytes, 1) + 255) / 256 * 256);
  std::memset(*data, 0x5a, workspace ? 256 : bytes);
  allocations[*data] = {device_of_thread, workspace ? 0 : bytes};
  last_call.clear();
  return cudaSuccess;
}

cudaError_t cudaFree(void* data) {
  if (!data) {
    FAULT_POINT(cudaErrorMemoryAllocation);
    if (!std::exchange(context_made, true)) host_works(0.2);
    return cudaSuccess;
  }
  const std::lock_guard<std::mutex> lock(guard);
  if (allocations.erase(data) == 0) return cudaErrorInvalidValue;
  std::free(data);
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
  *data = nullptr;
  FAULT_POINT(cudaErrorMemoryAllocation);
  *data = std::malloc(bytes);
  return *data ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFreeHost(void* data) {
  std::free(data);
  return cudaSuccess;
}

cudaError_t cudaMemset(void* data, int value, std::size_t bytes) { return cudaMemsetAsync(data, value, bytes, nullptr); }

cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  FAULT_POINT(cudaErrorInvalidValue);
  enqueue(stream, static_cast<double>(bytes) / gpus().memory_rate);
  last_call.clear();
  std::memset(data, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  FAULT_POINT(cudaErrorInvalidValue);
  host_works(seconds_of_copy(bytes, kind));
  last_call.clear();
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  FAULT_POINT(cudaErrorInvalidValue);
  enqueue(stream, seconds_of_copy(bytes, kind));
  if (repeats_last({1, word(to), word(from), bytes})) return cudaSuccess;
  std::memcpy(to, from, bytes);
  maybe_corrupt(__func__, to, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, cudaStream_t stream) {
  FAULT_POINT(cudaErrorInvalidValue);
  const double rate = gpus().peer_access ? gpus().peer_rate : gpus().host_link_rate / 2;
  enqueue(stream, gpus().copy_latency_s + static_cast<double>(bytes) / rate);
  if (repeats_last({2, word(to), word(from), bytes})) return cudaSuccess;
  std::memcpy(to, from, bytes);
  maybe_corrupt(__func__, to, bytes);
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int from, int to) {
  FAULT_POINT(cudaErrorInvalidDevice);
  *can = gpus().peer_access && from != to;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int to, unsigned) {
  FAULT_POINT(cudaErrorInvalidDevice);
  const std::lock_guard<std::mutex> lock(guard);
  bool& enabled = peers[{device_of_thread, to}];
  if (enabled) return cudaErrorPeerAccessAlreadyEnabled;
  enabled = true;
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = nullptr;
  FAULT_POINT(cudaErrorMemoryAllocation);
  *stream = new FakeStream{device_of_thread, clock_of_thread};
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  FAULT_POINT(cudaErrorLaunchFailure);
  wait_until(end_of(stream));
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = nullptr;
  FAULT_POINT(cudaErrorMemoryAllocation);
  *event = new FakeEvent;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  FAULT_POINT(cudaErrorInvalidValue);
  event->when = end_of(stream);
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  FAULT_POINT(cudaErrorLaunchFailure);
  wait_until(event->when);
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  *milliseconds = static_cast<float>((stop->when - start->when) * 1e3);
  return cudaSuccess;
}

}  // extern "C"
