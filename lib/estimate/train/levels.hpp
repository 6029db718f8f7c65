// Which levels a training request belongs to, and how sure that makes its estimate.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/offsets/offsets.hpp"
#include "estimate/train/step.hpp"

namespace steelyard::estimate {

/// Spreads (log of time) of the kinds of levels, by name; from data/efficiency.
using Sigmas = std::map<std::string, double, std::less<>>;

/// The levels of a job run by a plan. A kind without sigma is left out.
std::vector<Level> training_levels(const TrainingJob& job, const Plan& plan, const Sigmas& sigmas, bool with_plan = true);

/// The kind of rows whose spread an interval takes: "tuning" "sharded" "low" (formats below 16 bits) "half".
std::string_view interval_kind(const TrainingJob& job, const Plan& plan);

/// The model as a level: models of one shape are one, whatever their depth, so that a cut-down model shares its parent's offset.
std::string model_key(const TransformerShape& shape);

}  // namespace steelyard::estimate
