// Expressions of the rule language: parsed, resolved over a few names, checked and run in both modes; also as sentences.
#pragma once

#include <string_view>

namespace steelyard::fuzz {

void expression(std::string_view bytes);

}  // namespace steelyard::fuzz
