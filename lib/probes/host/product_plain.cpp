#define Eigen SteelyardEigenPlain
#include "probes/host/product_kernel.hpp"
#include "probes/host/product_kernel.inl"

namespace steelyard::probes {

ProductKernel plain_product() { return {&multiply<double>, &multiply<float>, Eigen::SimdInstructionSetsInUse()}; }

std::vector<ProductKernel> product_kernels() {
  std::vector<ProductKernel> out{plain_product()};
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out.push_back(avx2_product());
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) out.push_back(avx512_product());
#endif
  std::erase_if(out, [](const ProductKernel& one) { return !one.fp64; });
  return out;
}

}  // namespace steelyard::probes
