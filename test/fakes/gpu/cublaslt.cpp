// Products: D = A^T B, element by element in double.
#include <cublasLt.h>

#include <cmath>
#include <cstring>

#include "fakes/gpu/device.hpp"

using namespace steelyard::fakes;

struct FakeBlas {};
struct FakeOperation {
  cublasComputeType_t compute;
  bool transposed = false;
};
struct FakeLayout {
  cudaDataType_t type;
  std::size_t rows, cols;
};
struct FakePreference {};

namespace {

double small_float(unsigned bits, int fraction_bits, int exponent_bits) {
  const unsigned exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1), fraction = bits & ((1u << fraction_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = bits >> (fraction_bits + exponent_bits) & 1 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp((1u << fraction_bits) + fraction, static_cast<int>(exponent) - bias - fraction_bits);
}

template <class T>
T load(const void* data, std::size_t index) {
  T out;
  std::memcpy(&out, static_cast<const char*>(data) + index * sizeof(T), sizeof(T));
  return out;
}

double value_at(const void* data, std::size_t index, cudaDataType_t type) {
  switch (type) {
    case CUDA_R_64F: return load<double>(data, index);
    case CUDA_R_32F: return load<float>(data, index);
    case CUDA_R_16F: return small_float(load<std::uint16_t>(data, index), 10, 5);
    case CUDA_R_16BF: return small_float(load<std::uint16_t>(data, index), 7, 8);
    case CUDA_R_8F_E4M3: return small_float(load<std::uint8_t>(data, index), 3, 4);
  }
  return NAN;
}

// Whole numbers of up to 11 bits are exact in fp16; bf16 keeps the upper half of a float, rounded.
std::uint16_t to_half(double value) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  const auto bits = static_cast<unsigned>(std::lround(std::ldexp(fraction, 11)));
  return static_cast<std::uint16_t>((value < 0 ? 0x8000u : 0u) | ((static_cast<unsigned>(exponent + 14) << 10) + (bits - 1024)));
}

std::uint16_t to_bf16(double value) {
  const float single = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &single, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void store(void* data, std::size_t index, cudaDataType_t type, double value) {
  const float single = static_cast<float>(value);
  const std::uint16_t half = type == CUDA_R_16F ? to_half(value) : to_bf16(value);
  if (type == CUDA_R_64F) std::memcpy(static_cast<double*>(data) + index, &value, 8);
  if (type == CUDA_R_32F) std::memcpy(static_cast<float*>(data) + index, &single, 4);
  if (type == CUDA_R_16F || type == CUDA_R_16BF) std::memcpy(static_cast<std::uint16_t*>(data) + index, &half, 2);
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  static FakeBlas blas;
  if (faulty(__func__)) return CUBLAS_STATUS_NOT_SUPPORTED;
  *handle = &blas;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation, cublasComputeType_t compute, cudaDataType_t) {
  *operation = new FakeOperation{compute};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t which, const void* value,
                                              std::size_t size) {
  if (which != CUBLASLT_MATMUL_DESC_TRANSA || size != sizeof(cublasOperation_t)) return CUBLAS_STATUS_INVALID_VALUE;
  operation->transposed = *static_cast<const cublasOperation_t*>(value) == CUBLAS_OP_T;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) {
  delete operation;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType_t type, std::uint64_t rows, std::uint64_t cols,
                                          std::int64_t ld) {
  *layout = nullptr;
  if (static_cast<std::uint64_t>(ld) != rows) return CUBLAS_STATUS_INVALID_VALUE;
  *layout = new FakeLayout{type, rows, cols};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = new FakePreference;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, const void*, std::size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}

// Two candidates; the second is the faster one.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int wanted,
                                              cublasLtMatmulHeuristicResult_t found[], int* count) {
  *count = 0;
  if (a->type == CUDA_R_8F_E4M3 && !gpus().has_fp8) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!operation->transposed || wanted < 2) return CUBLAS_STATUS_NOT_SUPPORTED;
  for (std::uint64_t i = 0; i < 2; ++i) found[i].algo.data[0] = i;
  *count = 2;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void*, const void* a, cublasLtMatrixLayout_t a_layout,
                              const void* b, cublasLtMatrixLayout_t b_layout, const void*, const void*, cublasLtMatrixLayout_t, void* d,
                              cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t* algorithm, void*, std::size_t, cudaStream_t stream) {
  if (faulty(__func__)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const std::size_t m = d_layout->rows, n = d_layout->cols, k = a_layout->rows;
  const double wide = operation->compute == CUBLAS_COMPUTE_64F ? 16 : 1, slow = algorithm->data[0] == 0 ? 1.3 : 1;
  host_works(gpus().launch_s);
  enqueue(stream, 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / gpus().product_rate * wide * slow);
  if (repeats_last({3, reinterpret_cast<std::uint64_t>(a), reinterpret_cast<std::uint64_t>(b), reinterpret_cast<std::uint64_t>(d), m, n, k}))
    return CUBLAS_STATUS_SUCCESS;
  std::vector<double> left(m * k), right(n * k);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = value_at(a, i, a_layout->type);
  for (std::size_t i = 0; i < right.size(); ++i) right[i] = value_at(b, i, b_layout->type);
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t row = 0; row < m; ++row) {
      double sum = 0;
      for (std::size_t at = 0; at < k; ++at) sum += left[row * k + at] * right[column * k + at];
      store(d, column * m + row, d_layout->type, sum);
    }
  }
  // A wrong byte in every row of the first column, so that a check of some entries must see it.
  if (gpus().corrupt == __func__) std::memset(d, 0x41, m * n);
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
