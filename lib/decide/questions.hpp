// What to ask where a verdict hangs on a fact that is missing.
#pragma once

#include <steelyard/decision.hpp>
#include <steelyard/language.hpp>
#include <string>

namespace steelyard::decide {

/// Adds the question for a missing fact, or the decision to the question that asks for it already.
void ask(Estimate& estimate, const std::string& fact, const std::string& decision, Language language);

/// Facts that the engine computes (times, costs) are nobody's to answer: where something else is asked they go, else a measurement is asked for.
void ask_what_can_be_answered(Estimate& estimate, Language language);

}  // namespace steelyard::decide
