#include "family.hpp"

namespace steelyard::fit {

const std::vector<Family>& families() {
  static const std::vector<Family> all{};
  return all;
}

}  // namespace steelyard::fit
