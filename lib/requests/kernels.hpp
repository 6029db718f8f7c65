// The two small request kinds of `estimate`: one collective, one matrix product.
#pragma once

#include <steelyard/advisor.hpp>
#include <steelyard/catalog.hpp>
#include <steelyard/value.hpp>

#include "requests/request.hpp"

namespace steelyard::requests {

/// {"id", "time_us", "busbw_gb_per_s", "confidence", "link", "interval"}, or verdict unknown with questions. What the advisor's calibrations measured
/// counts first: the measured curve itself where it was taken over as many GPUs and nodes, else the law with the measured rates; "measured" says so.
Value answer_collective(const Advisor& advisor, Request& request, const Configuration& configuration);
/// {"id", "time_us", "tflops", "confidence", "interval"}, or verdict unknown with questions.
Value answer_gemm(const Advisor& advisor, Request& request, const Configuration& configuration);

}  // namespace steelyard::requests
