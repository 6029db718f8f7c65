#include "probes/cuda/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "probes/cuda/library.hpp"

#ifndef STEELYARD_CUBLASLT_LIBRARIES
#define STEELYARD_CUBLASLT_LIBRARIES "libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"
#endif

namespace steelyard::probes::cuda {

namespace {

constexpr std::size_t kWorkspace = std::size_t{64} << 20;
constexpr int kCandidates = 8;

}  // namespace

// The functions that are used, under the types of the header.
class Blas {
 public:
  Blas() : library_({STEELYARD_CUBLASLT_LIBRARIES}) {
    library_.find(create, "cublasLtCreate");
    library_.find(matmul, "cublasLtMatmul");
    library_.find(operation_create, "cublasLtMatmulDescCreate");
    library_.find(operation_set, "cublasLtMatmulDescSetAttribute");
    library_.find(operation_destroy, "cublasLtMatmulDescDestroy");
    library_.find(layout_create, "cublasLtMatrixLayoutCreate");
    library_.find(layout_destroy, "cublasLtMatrixLayoutDestroy");
    library_.find(preference_create, "cublasLtMatmulPreferenceCreate");
    library_.find(preference_set, "cublasLtMatmulPreferenceSetAttribute");
    library_.find(preference_destroy, "cublasLtMatmulPreferenceDestroy");
    library_.find(heuristic, "cublasLtMatmulAlgoGetHeuristic");
    if (create(&handle) != CUBLAS_STATUS_SUCCESS) throw ProbeFailure("cublasLtCreate failed");
  }

  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) operation_create = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) operation_set = nullptr;
  decltype(&cublasLtMatmulDescDestroy) operation_destroy = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;
  cublasLtHandle_t handle = nullptr;

 private:
  Library library_;
};

std::shared_ptr<Blas> open_blas() { return std::make_shared<Blas>(); }

const std::vector<FormatFacts>& all_formats() {
  static const std::vector<FormatFacts> formats{
      {"fp64", Format::fp64, 8, CUDA_R_64F, CUDA_R_64F, 8, CUBLAS_COMPUTE_64F, CUDA_R_64F, 0},
      {"fp32", Format::fp32, 4, CUDA_R_32F, CUDA_R_32F, 4, CUBLAS_COMPUTE_32F, CUDA_R_32F, 0},
      {"tf32", Format::fp32, 4, CUDA_R_32F, CUDA_R_32F, 4, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, 0},
      {"bf16", Format::bf16, 2, CUDA_R_16BF, CUDA_R_16BF, 2, CUBLAS_COMPUTE_32F, CUDA_R_32F, 1.0 / 256},
      {"fp16", Format::fp16, 2, CUDA_R_16F, CUDA_R_16F, 2, CUBLAS_COMPUTE_32F, CUDA_R_32F, 1.0 / 2048},
      {"fp8", Format::fp8, 1, CUDA_R_8F_E4M3, CUDA_R_16BF, 2, CUBLAS_COMPUTE_32F, CUDA_R_32F, 1.0 / 256},
  };
  return formats;
}

double Matmul::bytes(const FormatFacts& format, const Shape& shape) {
  const double m = shape.m, n = shape.n, k = shape.k;
  return static_cast<double>(format.operand_bytes) * (m + n) * k + static_cast<double>(format.result_bytes) * m * n;
}

Matmul::Matmul(std::shared_ptr<Blas> blas, const FormatFacts& format, const Shape& shape, double patience_s)
    : blas_(std::move(blas)),
      format_(format),
      shape_(shape),
      a_(static_cast<std::size_t>(shape.k) * shape.m * format.operand_bytes),
      b_(static_cast<std::size_t>(shape.k) * shape.n * format.operand_bytes),
      d_(static_cast<std::size_t>(shape.m) * shape.n * format.result_bytes),
      workspace_(kWorkspace) {
  check(fill_operand(a_.data(), format.operand, a_.bytes() / format.operand_bytes, 1, stream_.get()), "fill");
  check(fill_operand(b_.data(), format.operand, b_.bytes() / format.operand_bytes, 2, stream_.get()), "fill");
  try {
    prepare(patience_s);
  } catch (...) {
    release();  // no destructor runs for what was not constructed
    throw;
  }
}

void Matmul::prepare(double patience_s) {
  const cublasOperation_t transposed = CUBLAS_OP_T;  // the one layout in which fp8 is multiplied on every board
  const FormatFacts& format = format_;
  const Shape& shape = shape_;
  bool made = blas_->operation_create(&operation_, format.compute, format.scale) == CUBLAS_STATUS_SUCCESS;
  made = made && blas_->operation_set(operation_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed) == CUBLAS_STATUS_SUCCESS;
  const auto k = static_cast<std::uint64_t>(shape.k), m = static_cast<std::uint64_t>(shape.m), n = static_cast<std::uint64_t>(shape.n);
  made = made && blas_->layout_create(&layouts_[0], format.type, k, m, shape.k) == CUBLAS_STATUS_SUCCESS;
  made = made && blas_->layout_create(&layouts_[1], format.type, k, n, shape.k) == CUBLAS_STATUS_SUCCESS;
  made = made && blas_->layout_create(&layouts_[2], format.result, m, n, shape.m) == CUBLAS_STATUS_SUCCESS;
  if (!made) throw NotAvailable("cuBLASLt knows no product of " + format.name);
  choose_algorithm(patience_s);
}

Matmul::~Matmul() { release(); }

void Matmul::release() noexcept {
  cudaStreamSynchronize(stream_.get());
  for (const auto layout : layouts_) {
    if (layout) blas_->layout_destroy(layout);
  }
  if (operation_) blas_->operation_destroy(operation_);
}

// The fastest of the heuristic's first candidates, each timed once after a first run.
void Matmul::choose_algorithm(double patience_s) {
  cublasLtMatmulPreference_t preference = nullptr;
  if (blas_->preference_create(&preference) != CUBLAS_STATUS_SUCCESS) throw ProbeFailure("cublasLtMatmulPreferenceCreate failed");
  const std::size_t workspace = kWorkspace;
  blas_->preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace);
  cublasLtMatmulHeuristicResult_t found[kCandidates] = {};
  int count = 0;
  const cublasStatus_t result =
      blas_->heuristic(blas_->handle, operation_, layouts_[0], layouts_[1], layouts_[2], layouts_[2], preference, kCandidates, found, &count);
  blas_->preference_destroy(preference);
  if (result != CUBLAS_STATUS_SUCCESS || count == 0) throw NotAvailable("this board has no product of " + format_.name);
  double best = -1, spent = 0;
  for (int i = 0; i < count && (best < 0 || spent < patience_s); ++i) {
    if (run(found[i].algo) != CUBLAS_STATUS_SUCCESS) continue;
    const double seconds = timed(stream_, watch_, 1, [&] { run(found[i].algo); });
    spent += 2 * seconds;
    if (best < 0 || seconds < best) best = seconds, algorithm_ = found[i].algo;
  }
  if (best < 0) throw ProbeFailure("every algorithm for a product of " + format_.name + " failed");
}

cublasStatus_t Matmul::run(const cublasLtMatmulAlgo_t& algorithm) {
  const float one = 1, zero = 0;
  const double wide_one = 1, wide_zero = 0;
  const bool wide = format_.scale == CUDA_R_64F;
  const void* alpha = wide ? static_cast<const void*>(&wide_one) : &one;
  const void* beta = wide ? static_cast<const void*>(&wide_zero) : &zero;
  return blas_->matmul(blas_->handle, operation_, alpha, a_.data(), layouts_[0], b_.data(), layouts_[1], beta, d_.data(), layouts_[2], d_.data(),
                       layouts_[2], &algorithm, workspace_.data(), workspace_.bytes(), stream_.get());
}

void Matmul::enqueue() {
  if (run(algorithm_) != CUBLAS_STATUS_SUCCESS) throw ProbeFailure("cublasLtMatmul failed");
}

double Matmul::timed_products(int repeats) {
  return timed(stream_, watch_, repeats, [&] { enqueue(); });
}

namespace {

double half_value(std::uint16_t bits) {
  const int sign = bits >> 15 ? -1 : 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return exponent == 31 ? NAN : sign * std::ldexp(fraction + 1024, exponent - 25);
}

double result_value(const void* place, cudaDataType_t type) {
  std::uint16_t half = 0;
  std::memcpy(&half, place, sizeof half);
  if (type == CUDA_R_16F) return half_value(half);
  if (type == CUDA_R_64F) {
    double value = 0;
    std::memcpy(&value, place, sizeof value);
    return value;
  }
  float value = 0;
  if (type == CUDA_R_16BF) {
    const std::uint32_t bits = static_cast<std::uint32_t>(half) << 16;
    std::memcpy(&value, &bits, sizeof value);
  } else {
    std::memcpy(&value, place, sizeof value);
  }
  return value;
}

}  // namespace

void Matmul::verify() {
  check(cudaMemsetAsync(d_.data(), 0xff, d_.bytes(), stream_.get()), "cudaMemsetAsync");  // NaN in every format
  enqueue();
  stream_.wait();
  constexpr int kEntries = 64;
  int wrong = 0;
  for (int i = 0; i < kEntries; ++i) {
    const auto row = static_cast<std::size_t>(i) * 7919 % static_cast<std::size_t>(shape_.m);
    const auto column = static_cast<std::size_t>(i) * 104729 % static_cast<std::size_t>(shape_.n);
    const auto depth = static_cast<std::size_t>(shape_.k);
    double sum = 0;
    for (std::size_t at = 0; at < depth; ++at) sum += operand_value(row * depth + at, 1) * operand_value(column * depth + at, 2);
    char cell[8] = {};
    const auto offset = (column * static_cast<std::size_t>(shape_.m) + row) * format_.result_bytes;
    check(cudaMemcpy(cell, d_.as<char>() + offset, format_.result_bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    if (!(std::abs(result_value(cell, format_.result) - sum) <= format_.tolerance * std::abs(sum))) ++wrong;
  }
  if (wrong > 0) throw ProbeFailure(format_.name + " product: " + std::to_string(wrong) + " of 64 entries wrong; no speed is reported");
}

}  // namespace steelyard::probes::cuda
