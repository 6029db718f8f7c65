#include "family.hpp"

#include "collectives.hpp"
#include "gemm.hpp"
#include "train.hpp"

namespace steelyard::fit {

const std::vector<Family>& families() {
  static const std::vector<Family> all{{"gemm", fit_gemm}, {"collectives", fit_collectives}, {"train", fit_train}};
  return all;
}

}  // namespace steelyard::fit
