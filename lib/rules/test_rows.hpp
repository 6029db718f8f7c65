// Test rows of a decision, one by one.
#pragma once

#include <string>

#include "rules/book.hpp"

namespace steelyard::rules {

/// Runs a row in a session without facts, which then holds the outcome; "" where it holds, else what came instead.
std::string run_row(Session& session, const DecisionData& decision, const TestRow& row);

}  // namespace steelyard::rules
