// Serving: fits data/efficiency/serving.yaml (continuous batching) from trtllm.csv and vllm.csv, serving_stream.yaml from llama_cpp.csv.
#pragma once

#include "family.hpp"

namespace steelyard::fit {

std::string fit_serving(const Request& request);

}  // namespace steelyard::fit
