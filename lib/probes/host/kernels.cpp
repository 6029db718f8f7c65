#include "probes/host/kernels.hpp"

namespace steelyard::probes {

void copy(double* __restrict a, const double* __restrict b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i];
}

void triad(double* __restrict a, const double* __restrict b, const double* __restrict c, double scalar, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + scalar * c[i];
}

}  // namespace steelyard::probes
