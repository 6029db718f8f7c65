/* The part of the CUDA runtime that the probes use, over simulated devices (test/fakes/gpu). Values of constants as in NVIDIA's headers. */
#ifndef STEELYARD_FAKE_CUDA_RUNTIME_API_H
#define STEELYARD_FAKE_CUDA_RUNTIME_API_H

#include <cstddef>

#define FAKE_API __attribute__((visibility("default")))

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorPeerAccessAlreadyEnabled = 704,
  cudaErrorLaunchFailure = 719
};
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDataType_t { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_16BF = 14, CUDA_R_8F_E4M3 = 28 };

typedef struct FakeStream* cudaStream_t;
typedef struct FakeEvent* cudaEvent_t;

struct cudaDeviceProp {
  char name[256];
  std::size_t totalGlobalMem;
  int major, minor, multiProcessorCount;
};

extern "C" {
FAKE_API const char* cudaGetErrorString(cudaError_t);
FAKE_API cudaError_t cudaGetLastError();
FAKE_API cudaError_t cudaGetDeviceCount(int*);
FAKE_API cudaError_t cudaSetDevice(int);
FAKE_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int);
FAKE_API cudaError_t cudaDeviceGetPCIBusId(char*, int, int);
FAKE_API cudaError_t cudaRuntimeGetVersion(int*);
FAKE_API cudaError_t cudaDriverGetVersion(int*);
FAKE_API cudaError_t cudaMemGetInfo(std::size_t*, std::size_t*);
FAKE_API cudaError_t cudaMalloc(void**, std::size_t);
FAKE_API cudaError_t cudaFree(void*);
FAKE_API cudaError_t cudaMallocHost(void**, std::size_t);
FAKE_API cudaError_t cudaFreeHost(void*);
FAKE_API cudaError_t cudaMemset(void*, int, std::size_t);
FAKE_API cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t);
FAKE_API cudaError_t cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind);
FAKE_API cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t);
FAKE_API cudaError_t cudaMemcpyPeerAsync(void*, int, const void*, int, std::size_t, cudaStream_t);
FAKE_API cudaError_t cudaDeviceCanAccessPeer(int*, int, int);
FAKE_API cudaError_t cudaDeviceEnablePeerAccess(int, unsigned);
FAKE_API cudaError_t cudaStreamCreate(cudaStream_t*);
FAKE_API cudaError_t cudaStreamDestroy(cudaStream_t);
FAKE_API cudaError_t cudaStreamSynchronize(cudaStream_t);
FAKE_API cudaError_t cudaEventCreate(cudaEvent_t*);
FAKE_API cudaError_t cudaEventDestroy(cudaEvent_t);
FAKE_API cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
FAKE_API cudaError_t cudaEventSynchronize(cudaEvent_t);
FAKE_API cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
}

template <class T>
cudaError_t cudaMalloc(T** data, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(data), bytes);
}
template <class T>
cudaError_t cudaMallocHost(T** data, std::size_t bytes) {
  return cudaMallocHost(reinterpret_cast<void**>(data), bytes);
}

#endif
