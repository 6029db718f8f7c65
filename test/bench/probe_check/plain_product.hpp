// A direct call of Eigen, compiled for the machine that it is built on.
#pragma once

namespace steelyard::bench {

/// Seconds of so many products of square matrices of doubles; negative where the result is wrong.
class PlainProduct {
 public:
  explicit PlainProduct(int edge);
  ~PlainProduct();
  PlainProduct(const PlainProduct&) = delete;
  PlainProduct& operator=(const PlainProduct&) = delete;
  double seconds(int repeats);

 private:
  struct Matrices;
  Matrices* matrices_;
};

}  // namespace steelyard::bench
