// One JSON request a line in, one JSON answer a line out, in the same order.
#pragma once

#include <functional>
#include <steelyard/value.hpp>
#include <string>

namespace advise {

/// Answers of all non-empty lines of a file; `answer(text, place)` gets one line and "file:line".
std::string run_batch(const std::string& file, double timeout_s,
                      const std::function<steelyard::Value(std::string text, const std::string& place)>& answer);

}  // namespace advise
