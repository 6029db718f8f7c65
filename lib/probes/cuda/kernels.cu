// Every kernel of the probes. The same source is compiled for the host in the tests (test/fakes/gpu).
#include "probes/cuda/kernels.hpp"
#include "probes/cuda/launch.hpp"

namespace steelyard::probes::cuda {

namespace {

__device__ inline std::size_t my_index() { return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

__device__ inline std::uint32_t word_at(std::size_t index, std::uint32_t seed) { return static_cast<std::uint32_t>(index) * 2654435761u + seed; }

__global__ void empty_kernel(int) {}

__global__ void fill_words_kernel(uint4* data, std::size_t units, std::uint32_t seed) {
  const std::size_t i = my_index();
  if (i < units) data[i] = make_uint4(word_at(4 * i, seed), word_at(4 * i + 1, seed), word_at(4 * i + 2, seed), word_at(4 * i + 3, seed));
}

__global__ void check_words_kernel(const uint4* data, std::size_t units, std::uint32_t seed, unsigned long long* wrong) {
  const std::size_t i = my_index();
  if (i >= units) return;
  const uint4 found = data[i];
  const unsigned long long bad = (found.x != word_at(4 * i, seed)) + (found.y != word_at(4 * i + 1, seed)) + (found.z != word_at(4 * i + 2, seed)) +
                                 (found.w != word_at(4 * i + 3, seed));
  if (bad > 0) atomicAdd(wrong, bad);
}

__global__ void check_equal_kernel(const uint4* one, const uint4* other, std::size_t units, unsigned long long* wrong) {
  const std::size_t i = my_index();
  if (i >= units) return;
  const uint4 a = one[i], b = other[i];
  if (a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w) atomicAdd(wrong, 1ull);
}

__device__ inline double stream_value(std::size_t index) { return static_cast<double>(index % 1021); }

__global__ void fill_stream_kernel(double2* a, double2* b, double2* c, std::size_t pairs) {
  const std::size_t i = my_index();
  if (i >= pairs) return;
  const double first = stream_value(2 * i), second = stream_value(2 * i + 1);
  a[i] = make_double2(0, 0);
  b[i] = make_double2(first, second);
  c[i] = make_double2(first + 1, second + 1);
}

__global__ void copy_kernel(double2* a, const double2* b, std::size_t pairs) {
  const std::size_t i = my_index();
  if (i < pairs) a[i] = b[i];
}

__global__ void triad_kernel(double2* a, const double2* b, const double2* c, double scalar, std::size_t pairs) {
  const std::size_t i = my_index();
  if (i >= pairs) return;
  const double2 left = b[i], right = c[i];
  a[i] = make_double2(left.x + scalar * right.x, left.y + scalar * right.y);
}

__global__ void check_stream_kernel(const double* a, double scalar, std::size_t count, unsigned long long* wrong) {
  const std::size_t i = my_index();
  if (i >= count) return;
  const double value = stream_value(i), expected = scalar > 0 ? value + scalar * (value + 1) : value;
  if (a[i] != expected) atomicAdd(wrong, 1ull);
}

// The bits of -1, 0 and 1 are the same shape in every format: no conversion is needed.
__device__ inline int operand(std::size_t index, std::uint32_t seed) {
  return static_cast<int>((index * 2654435761ull + seed) >> 7 & 0xffff) % 3 - 1;
}

__global__ void fill_double_kernel(double* data, std::size_t count, std::uint32_t seed) {
  const std::size_t i = my_index();
  if (i < count) data[i] = operand(i, seed);
}

__global__ void fill_float_kernel(float* data, std::size_t count, std::uint32_t seed) {
  const std::size_t i = my_index();
  if (i < count) data[i] = static_cast<float>(operand(i, seed));
}

__global__ void fill_half_kernel(std::uint16_t* data, std::size_t count, std::uint32_t seed, std::uint16_t one) {
  const std::size_t i = my_index();
  if (i >= count) return;
  const int value = operand(i, seed);
  data[i] = value == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(value > 0 ? one : one | 0x8000);
}

__global__ void fill_byte_kernel(std::uint8_t* data, std::size_t count, std::uint32_t seed, std::uint8_t one) {
  const std::size_t i = my_index();
  if (i >= count) return;
  const int value = operand(i, seed);
  data[i] = value == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(value > 0 ? one : one | 0x80);
}

__device__ inline float pattern_at(int rank, std::size_t index) { return static_cast<float>((static_cast<std::size_t>(rank) * 5 + index) % 13); }

__device__ inline float pattern_sum(int ranks, std::size_t index) {
  float sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += pattern_at(rank, index);
  return sum;
}

__device__ inline float collective_value(Collective kind, int rank, int ranks, std::size_t each, std::size_t index) {
  const std::size_t part = each > 0 ? each : 1;
  switch (kind) {
    case Collective::all_reduce: return pattern_sum(ranks, index);
    case Collective::reduce_scatter: return pattern_sum(ranks, static_cast<std::size_t>(rank) * each + index);
    case Collective::all_gather: return pattern_at(static_cast<int>(index / part), index % part);
    case Collective::alltoall: return pattern_at(static_cast<int>(index / part), static_cast<std::size_t>(rank) * each + index % part);
    case Collective::send_recv: break;
  }
  return pattern_at((rank + ranks - 1) % ranks, index);
}

__global__ void fill_collective_kernel(float* data, std::size_t count, int rank) {
  const std::size_t i = my_index();
  if (i < count) data[i] = pattern_at(rank, i);
}

__global__ void check_collective_kernel(const float* data, std::size_t count, Collective kind, int rank, int ranks, std::size_t each,
                                        unsigned long long* wrong) {
  const std::size_t i = my_index();
  if (i < count && data[i] != collective_value(kind, rank, ranks, each, i)) atomicAdd(wrong, 1ull);
}

double bytes_of(std::size_t count, std::size_t size) { return static_cast<double>(count) * static_cast<double>(size); }

}  // namespace

cudaError_t empty(cudaStream_t stream) { return launch(empty_kernel, {1, stream, 0}, 0); }

cudaError_t fill_words(void* data, std::size_t bytes, std::uint32_t seed, cudaStream_t stream) {
  return launch(fill_words_kernel, {bytes / 16, stream, bytes_of(bytes, 1)}, static_cast<uint4*>(data), bytes / 16, seed);
}

cudaError_t check_words(const void* data, std::size_t bytes, std::uint32_t seed, unsigned long long* wrong, cudaStream_t stream) {
  return launch(check_words_kernel, {bytes / 16, stream, bytes_of(bytes, 1)}, static_cast<const uint4*>(data), bytes / 16, seed, wrong);
}

cudaError_t check_equal(const void* one, const void* other, std::size_t bytes, unsigned long long* wrong, cudaStream_t stream) {
  return launch(check_equal_kernel, {bytes / 16, stream, bytes_of(bytes, 2)}, static_cast<const uint4*>(one), static_cast<const uint4*>(other),
                bytes / 16, wrong);
}

cudaError_t fill_stream(double* a, double* b, double* c, std::size_t count, cudaStream_t stream) {
  return launch(fill_stream_kernel, {count / 2, stream, bytes_of(count, 24)}, reinterpret_cast<double2*>(a), reinterpret_cast<double2*>(b),
                reinterpret_cast<double2*>(c), count / 2);
}

cudaError_t copy(double* a, const double* b, std::size_t count, cudaStream_t stream) {
  return launch(copy_kernel, {count / 2, stream, bytes_of(count, 16)}, reinterpret_cast<double2*>(a), reinterpret_cast<const double2*>(b), count / 2);
}

cudaError_t triad(double* a, const double* b, const double* c, double scalar, std::size_t count, cudaStream_t stream) {
  return launch(triad_kernel, {count / 2, stream, bytes_of(count, 24)}, reinterpret_cast<double2*>(a), reinterpret_cast<const double2*>(b),
                reinterpret_cast<const double2*>(c), scalar, count / 2);
}

cudaError_t check_stream(const double* a, double scalar, std::size_t count, unsigned long long* wrong, cudaStream_t stream) {
  return launch(check_stream_kernel, {count, stream, bytes_of(count, 8)}, a, scalar, count, wrong);
}

cudaError_t fill_operand(void* data, Format format, std::size_t count, std::uint32_t seed, cudaStream_t stream) {
  switch (format) {
    case Format::fp64: return launch(fill_double_kernel, {count, stream, bytes_of(count, 8)}, static_cast<double*>(data), count, seed);
    case Format::fp32: return launch(fill_float_kernel, {count, stream, bytes_of(count, 4)}, static_cast<float*>(data), count, seed);
    case Format::bf16: return launch(fill_half_kernel, {count, stream, bytes_of(count, 2)}, static_cast<std::uint16_t*>(data), count, seed, 0x3f80);
    case Format::fp16: return launch(fill_half_kernel, {count, stream, bytes_of(count, 2)}, static_cast<std::uint16_t*>(data), count, seed, 0x3c00);
    case Format::fp8: return launch(fill_byte_kernel, {count, stream, bytes_of(count, 1)}, static_cast<std::uint8_t*>(data), count, seed, 0x38);
  }
  return cudaErrorInvalidValue;
}

cudaError_t fill_collective(float* data, std::size_t count, int rank, cudaStream_t stream) {
  return launch(fill_collective_kernel, {count, stream, bytes_of(count, 4)}, data, count, rank);
}

cudaError_t check_collective(const float* data, std::size_t count, Collective kind, int rank, int ranks, std::size_t each, unsigned long long* wrong,
                             cudaStream_t stream) {
  return launch(check_collective_kernel, {count, stream, bytes_of(count, 4)}, data, count, kind, rank, ranks, each, wrong);
}

}  // namespace steelyard::probes::cuda
