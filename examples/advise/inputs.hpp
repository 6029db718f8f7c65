// The files of a command line as texts, for the verbs that take files of other programs.
#pragma once

#include <steelyard/habits.hpp>
#include <vector>

#include "command_line.hpp"

namespace advise {

/// The texts of all files of the command line.
std::vector<steelyard::InputText> read_inputs(const CommandLine& line);

}  // namespace advise
