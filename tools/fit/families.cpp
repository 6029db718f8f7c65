#include "family.hpp"

#include "train.hpp"

namespace steelyard::fit {

const std::vector<Family>& families() {
  static const std::vector<Family> all{{"train", fit_train}};
  return all;
}

}  // namespace steelyard::fit
