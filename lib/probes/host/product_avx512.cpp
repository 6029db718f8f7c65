// Compiled with -mavx512f -mavx512dq -mfma where the compiler has them (probes.cmake).
#include "probes/host/product_kernel.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define Eigen SteelyardEigenAvx512
#include "probes/host/product_kernel.inl"

steelyard::probes::ProductKernel steelyard::probes::avx512_product() {
  return {&multiply<double>, &multiply<float>, Eigen::SimdInstructionSetsInUse()};
}
#else
steelyard::probes::ProductKernel steelyard::probes::avx512_product() { return {}; }
#endif
