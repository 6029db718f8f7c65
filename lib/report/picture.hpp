// Pictures of the HTML report of the HTML report: the front of time and cost (SVG), and the path through the four steps.
#pragma once

#include <steelyard/decision.hpp>
#include <string>

#include "report/words.hpp"

namespace steelyard::report {

/// Text that stands for itself in HTML, also inside quoted attributes.
std::string escaped(std::string_view text);

/// Accepted offers by time (h) and cost, both axes logarithmic; the front is filled and joined. Empty where no offer has both.
std::string plot_of_time_and_cost(const Decision& decision, const Words& words);

/// Task, network, stack, cost of the first place as boxes one below the other: what each came to and the rule that says so. Text, not SVG: it stays
/// readable at any width.
std::string decision_path(const Estimate& estimate, const Words& words);

}  // namespace steelyard::report
