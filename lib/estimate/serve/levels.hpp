// The levels of a serving request: what its offsets are looked up by.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "estimate/offsets/offsets.hpp"
#include "estimate/serve/job.hpp"

namespace steelyard::estimate {

enum class ServeMetric : unsigned char { throughput, latency };

using LevelSigmas = std::map<std::string, double, std::less<>>;  // spread of each kind of level, by kind

/// A kind without sigma is left out.
std::vector<Level> batching_levels(const ServeJob& job, ServeMetric metric, const LevelSigmas& sigmas);
/// Decode (throughput) and prefill (latency) of one stream share nothing.
std::vector<Level> stream_levels(const ServeJob& job, ServeMetric metric, const LevelSigmas& sigmas);

}  // namespace steelyard::estimate
