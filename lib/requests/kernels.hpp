// The two small request kinds of `estimate`: one collective, one matrix product.
#pragma once

#include <steelyard/catalog.hpp>
#include <steelyard/value.hpp>

#include "requests/request.hpp"

namespace steelyard::requests {

/// {"id", "time_us", "busbw_gb_per_s", "confidence", "link", "interval"}, or verdict unknown with questions.
Value answer_collective(Request& request, const Configuration& configuration);
/// {"id", "time_us", "tflops", "confidence", "interval"}, or verdict unknown with questions.
Value answer_gemm(Request& request, const Configuration& configuration);

}  // namespace steelyard::requests
