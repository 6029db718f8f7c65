// Does a second node help, and what network does it take? docs/reference/answers.md, `scaling`.
#pragma once

#include <steelyard/decision.hpp>

#include "decide/model.hpp"

namespace steelyard::decide {

/// The job on the nodes of a configuration, at least two, against one of them; and the slowest network at which they reach 90 % of that many times
/// its speed. A dozen estimates: for one configuration, not for all offers.
NodeScaling node_scaling(const Job& job, const Configuration& configuration, const Modelled& modelled);

}  // namespace steelyard::decide
