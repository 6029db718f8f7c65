// The kernels of the probes, started on a stream. Each returns what the launch said.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace steelyard::probes::cuda {

/// Does nothing.
cudaError_t empty(cudaStream_t stream);
/// data[i] = (i x 2654435761 + seed) as 32-bit words; `bytes` a multiple of 16.
cudaError_t fill_words(void* data, std::size_t bytes, std::uint32_t seed, cudaStream_t stream);
/// Adds to `wrong` the number of words that differ from that pattern.
cudaError_t check_words(const void* data, std::size_t bytes, std::uint32_t seed, unsigned long long* wrong, cudaStream_t stream);
/// Adds to `wrong` the number of 16-byte units in which two buffers differ.
cudaError_t check_equal(const void* one, const void* other, std::size_t bytes, unsigned long long* wrong, cudaStream_t stream);

// STREAM on doubles, 16 bytes an access; `count` doubles, even.
cudaError_t fill_stream(double* a, double* b, double* c, std::size_t count, cudaStream_t stream);  // a = 0, b = i mod 1021, c = b + 1
cudaError_t copy(double* a, const double* b, std::size_t count, cudaStream_t stream);              // a = b
cudaError_t triad(double* a, const double* b, const double* c, double scalar, std::size_t count, cudaStream_t stream);  // a = b + scalar c
/// Adds to `wrong` the number of elements of `a` that differ from i mod 1021 + scalar (i mod 1021 + 1), or from i mod 1021 for scalar 0.
cudaError_t check_stream(const double* a, double scalar, std::size_t count, unsigned long long* wrong, cudaStream_t stream);

/// Number formats of the operands of a product.
enum class Format { fp64, fp32, bf16, fp16, fp8 };
/// data[i] = operand_value(i, seed) in that format.
cudaError_t fill_operand(void* data, Format format, std::size_t count, std::uint32_t seed, cudaStream_t stream);

/// The value of element `index`: -1, 0 or 1, exact in every format.
inline int operand_value(std::size_t index, std::uint32_t seed) { return static_cast<int>((index * 2654435761ull + seed) >> 7 & 0xffff) % 3 - 1; }

/// data[i] = (rank x 5 + i + offset) mod 13 as float, the pattern of probes/collectives.hpp.
cudaError_t fill_collective(float* data, std::size_t count, int rank, cudaStream_t stream);
/// What a rank must hold after a collective; numbers in the order of probes/collectives.hpp.
enum class Collective { all_reduce, all_gather, reduce_scatter, alltoall, send_recv };
cudaError_t check_collective(const float* data, std::size_t count, Collective kind, int rank, int ranks, std::size_t each, unsigned long long* wrong,
                             cudaStream_t stream);

}  // namespace steelyard::probes::cuda
