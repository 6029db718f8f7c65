#include "probes/host/reference_loops.hpp"

#include <Eigen/Core>

#include "probes/probe.hpp"

namespace steelyard::test {

void reference_triad(double* __restrict a, const double* __restrict b, const double* __restrict c, double scalar, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + scalar * c[i];
}

double reference_product_s(int size) {
  static Eigen::MatrixXd a, b, c;
  if (a.rows() != size) {
    a.setConstant(size, size, 2), b.setConstant(size, size, 3), c.setZero(size, size);
  }
  const double start = probes::now_s();
  c.noalias() = a * b;
  const double seconds = probes::now_s() - start;
  return c(0, 0) == 6.0 * size ? seconds : -1;
}

}  // namespace steelyard::test
