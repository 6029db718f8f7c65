// Eigen's matrix product, compiled for several instruction sets; the best one that this processor has is taken at run time.
#pragma once

#include <vector>

namespace steelyard::probes {

/// c = a b: a is m x k, b k x n, c m x n, each dense by columns.
template <class Scalar>
using Multiply = void (*)(const Scalar* a, const Scalar* b, Scalar* c, long m, long n, long k);

struct ProductKernel {
  Multiply<double> fp64 = nullptr;
  Multiply<float> fp32 = nullptr;
  const char* instructions = "";  // as Eigen names them: "SSE, SSE2", "AVX SSE, SSE2, ..."
};

/// Those that were compiled in and that this processor runs, the best last.
std::vector<ProductKernel> product_kernels();

/// One file each; without functions where the compiler could not make it.
ProductKernel plain_product();
ProductKernel avx2_product();
ProductKernel avx512_product();

}  // namespace steelyard::probes
