// Folding: fits data/efficiency/folding.yaml from bio_folding.csv.
#pragma once

#include "family.hpp"

namespace steelyard::fit {

std::string fit_folding(const Request& request);

}  // namespace steelyard::fit
