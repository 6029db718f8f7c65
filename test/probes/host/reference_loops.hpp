// What the probes are compared with: plain loops and direct calls, compiled with optimisation.
#pragma once

#include <cstddef>

namespace steelyard::test {

void reference_triad(double* a, const double* b, const double* c, double scalar, std::size_t count);
/// Seconds of one product of two square matrices of that size by a direct call of Eigen.
double reference_product_s(int size);

}  // namespace steelyard::test
