// Compiled with -mavx2 -mfma where the compiler has them (probes.cmake).
#include "probes/host/product_kernel.hpp"

#if defined(__AVX2__) && defined(__FMA__)
#define Eigen SteelyardEigenAvx2
#include "probes/host/product_kernel.inl"

steelyard::probes::ProductKernel steelyard::probes::avx2_product() {
  return {&multiply<double>, &multiply<float>, Eigen::SimdInstructionSetsInUse()};
}
#else
steelyard::probes::ProductKernel steelyard::probes::avx2_product() { return {}; }
#endif
