// The loops of STREAM.
#pragma once

#include <cstddef>

namespace steelyard::probes {

void copy(double* __restrict a, const double* __restrict b, std::size_t count);                                              // a = b
void triad(double* __restrict a, const double* __restrict b, const double* __restrict c, double scalar, std::size_t count);  // a = b + scalar c

}  // namespace steelyard::probes
