// Reading input and writing output, with the promises of the contract: bounded waiting, atomic files, quiet broken pipes.
#pragma once

#include <string>
#include <string_view>

namespace advise {

/// The text of a file, or of standard input for "-". Throws steelyard::LoadError. Waits at most `timeout_s` for standard input (0: no limit).
std::string read_input(const std::string& name, double timeout_s = 0);

/// Writes all of it to a file (whole or not at all) or, where the name is empty, to standard output.
void write_output(const std::string& name, std::string_view text);

/// SIGINT and SIGTERM leave with 130 and without a half-written file.
void install_signal_handlers();

}  // namespace advise
