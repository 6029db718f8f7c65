// Matrix products: fits data/efficiency/gemm.yaml from gemm.csv.
#pragma once

#include "family.hpp"

namespace steelyard::fit {

std::string fit_gemm(const Request& request);

}  // namespace steelyard::fit
