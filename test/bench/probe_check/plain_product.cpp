// The library's Eigen is compiled for other instruction sets: under one name the linker would merge the two.
#define Eigen SteelyardEigenNative
#include "probe_check/plain_product.hpp"

#include <Eigen/Core>
#include <chrono>

namespace steelyard::bench {

struct PlainProduct::Matrices {
  Eigen::MatrixXd a, b, c;
};

PlainProduct::PlainProduct(int edge)
    : matrices_(new Matrices{Eigen::MatrixXd::Constant(edge, edge, 2), Eigen::MatrixXd::Constant(edge, edge, 3), Eigen::MatrixXd::Zero(edge, edge)}) {
}

PlainProduct::~PlainProduct() { delete matrices_; }

double PlainProduct::seconds(int repeats) {
  auto& [a, b, c] = *matrices_;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) c.noalias() = a * b;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return c(0, 0) == 6.0 * static_cast<double>(a.cols()) ? seconds : -1;
}

}  // namespace steelyard::bench
