#include "classic.hpp"
#include "collectives.hpp"
#include "diffusion.hpp"
#include "family.hpp"
#include "folding.hpp"
#include "gemm.hpp"
#include "serve.hpp"
#include "train.hpp"

namespace steelyard::fit {

const std::vector<Family>& families() {
  static const std::vector<Family> all{{"gemm", fit_gemm},       {"collectives", fit_collectives}, {"serving", fit_serving}, {"classic", fit_classic},
                                       {"folding", fit_folding}, {"diffusion", fit_diffusion},     {"train", fit_train}};
  return all;
}

}  // namespace steelyard::fit
