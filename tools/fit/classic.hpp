// Classic training: fits data/efficiency/classic.yaml from lambda_bench.csv, nvidia_dle.csv and mlperf_training.csv.
#pragma once

#include "family.hpp"

namespace steelyard::fit {

std::string fit_classic(const Request& request);

}  // namespace steelyard::fit
