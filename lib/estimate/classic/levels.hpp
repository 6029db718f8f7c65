// The levels of a classic training request.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "estimate/classic/job.hpp"
#include "estimate/offsets/offsets.hpp"

namespace steelyard::estimate {

/// A kind of level without sigma is left out.
std::vector<Level> classic_levels(const ClassicJob& job, const std::map<std::string, double, std::less<>>& sigmas);

}  // namespace steelyard::estimate
