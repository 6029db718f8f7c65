/* What kernels need on the host: their words, their built-in variables, and the launch that runs them thread by thread. */
#ifndef STEELYARD_FAKE_CUDA_RUNTIME_H
#define STEELYARD_FAKE_CUDA_RUNTIME_H

#include <cuda_runtime_api.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <vector>

#define __global__
#define __device__

struct uint4 {
  unsigned x, y, z, w;
};
struct double2 {
  double x, y;
};
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }

struct FakeIndex {
  unsigned x = 0;
};
extern FAKE_API thread_local FakeIndex threadIdx, blockIdx, blockDim;

inline void atomicAdd(unsigned long long* place, unsigned long long value) { *place += value; }

/* Runs `body` once a thread, in order, unless this is the very call that was made just before: then the memory stays as it is. */
FAKE_API cudaError_t fake_launch(cudaStream_t stream, std::size_t threads, unsigned block, double bytes, const std::vector<std::uint64_t>& call,
                                 const std::function<void()>& body);

template <class T>
std::uint64_t fake_word(const T& value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<std::uint64_t>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

#endif
