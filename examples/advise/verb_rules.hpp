// The parts of `advise rules` that have a file of their own; each gets the words behind its name.
#pragma once

#include "command_line.hpp"

namespace advise {

/// Puts rule files into their canonical form; with --check only says which are not.
int format_rules(const CommandLine& line, const Words& paths);
/// The rules of two books side by side; with a workload, the offers that they judge differently.
int diff_rules(const CommandLine& line, const Words& words);
/// Decisions and rules of books in words.
int list_books(const CommandLine& line, const Words& books);
/// What depends on a fact or decision.
int show_impact(const CommandLine& line, const Words& names);

}  // namespace advise
