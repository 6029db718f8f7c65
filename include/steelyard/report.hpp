// Answers as text for people: 80 columns, no colour.
#pragma once

#include <steelyard/decision.hpp>
#include <string>

namespace steelyard::report {

std::string text(const Estimate& estimate);
std::string text(const Decision& decision, std::size_t top);
std::string text(const Explanation& explanation);

}  // namespace steelyard::report
