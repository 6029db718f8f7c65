// A first estimate of a step's time, for ranking plans where no better one is given.
#pragma once

#include <steelyard/memory.hpp>

#include "estimate/memory/job.hpp"

namespace steelyard::estimate {

/// Seconds of a training step by flops over peak, bytes over link rates and the pipeline bubble; for serving, seconds an output token over all
/// replicas, with as many sequences as `kv_tokens` of cache hold. Efficiencies are the same for all plans.
std::optional<double> roofline_step_s(const MemoryJob& job, const Configuration& configuration, const Plan& plan, double kv_tokens);

}  // namespace steelyard::estimate
