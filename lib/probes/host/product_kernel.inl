// The body of product_plain.cpp, product_avx2.cpp and product_avx512.cpp, each with Eigen under a name of its own: two compilations of one template
// under one name would be merged by the linker, and the wider one could end up where the processor lacks its instructions.
#include <Eigen/Core>

namespace steelyard::probes {

namespace {

template <class Scalar>
void multiply(const Scalar* a, const Scalar* b, Scalar* c, long m, long n, long k) {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::Map<const Matrix> left(a, m, k), right(b, k, n);
  Eigen::Map<Matrix> out(c, m, n);
  out.noalias() = left * right;
}

}  // namespace

}  // namespace steelyard::probes
