// Matrix products by cuBLASLt, opened at run time so that the other probes do not need its hundreds of megabytes.
#pragma once

#include <cublasLt.h>

#include <memory>
#include <string>
#include <vector>

#include "probes/cuda/kernels.hpp"
#include "probes/cuda/probes.hpp"

namespace steelyard::probes::cuda {

/// How one number format is multiplied.
struct FormatFacts {
  std::string name;  // "bf16"
  Format operand;    // how operands are stored
  std::size_t operand_bytes;
  cudaDataType_t type, result;  // of operands and of the result
  std::size_t result_bytes;
  cublasComputeType_t compute;
  cudaDataType_t scale;
  double tolerance;  // relative error of a result of small whole numbers
};
/// fp64, fp32, tf32, bf16, fp16, fp8 in this order.
const std::vector<FormatFacts>& all_formats();

struct Shape {
  int m = 0, n = 0, k = 0;
};

class Blas;
/// The opened library; NotAvailable with the reason.
std::shared_ptr<Blas> open_blas();

/// D = A^T B of one format and shape on the current device: A is k x m, B is k x n, D is m x n, all by columns.
class Matmul {
 public:
  /// Throws NotAvailable where the board or the library has no such product. Candidates are compared for `patience_s` at most, one at least.
  Matmul(std::shared_ptr<Blas> blas, const FormatFacts& format, const Shape& shape, double patience_s = 0.2);
  ~Matmul();
  Matmul(const Matmul&) = delete;
  Matmul& operator=(const Matmul&) = delete;

  /// Compares entries spread over the result with sums made on the host; throws ProbeFailure.
  void verify();
  double timed_products(int repeats);
  void enqueue();
  const Buffer& result() const { return d_; }
  const Stream& stream() const { return stream_; }
  /// Bytes of operands and result of a shape.
  static double bytes(const FormatFacts& format, const Shape& shape);

 private:
  void prepare(double patience_s);
  void release() noexcept;
  void choose_algorithm(double patience_s);
  cublasStatus_t run(const cublasLtMatmulAlgo_t& algorithm);

  std::shared_ptr<Blas> blas_;
  FormatFacts format_;
  Shape shape_;
  Stream stream_;
  Stopwatch watch_;
  Buffer a_, b_, d_, workspace_;
  cublasLtMatmulDesc_t operation_ = nullptr;
  cublasLtMatrixLayout_t layouts_[3] = {};
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace steelyard::probes::cuda
