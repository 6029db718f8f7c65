// A matrix product whose result can be checked exactly.
#pragma once

#include <memory>
#include <string>

#include "probes/host/threads.hpp"

namespace steelyard::probes {

/// c = a b by Eigen, the columns cut into one part a thread. Entries are small whole numbers, so that sums are exact in any order.
template <class Scalar>
class Product {
 public:
  Product(int m, int n, int k);
  ~Product();
  /// Seconds of so many products.
  double timed(Team& team, int repeats);
  static constexpr int kChecked = 64;
  /// Of 64 entries spread over the result, those that differ from sums made one by one.
  int wrong() const;
  /// Instruction sets in use, as Eigen names them.
  std::string instructions() const;

 private:
  struct Matrices;
  std::unique_ptr<Matrices> matrices_;
};

extern template class Product<double>;
extern template class Product<float>;

}  // namespace steelyard::probes
