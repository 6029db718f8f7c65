// The verbs of `advise`. Each lives in a file of its own; main.cpp lists them.
#pragma once

#include <stdexcept>
#include <steelyard/issue.hpp>
#include <string>
#include <vector>

namespace advise {

/// What the shell sees.
enum ExitCode { answered = 0, nothing_fits = 1, bad_input = 2, probe_failed = 3, internal_error = 4, interrupted = 130 };

using Words = std::vector<std::string>;

struct Verb {
  const char* name;
  const char* summary;
  int (*run)(const Words& words);  // the words after the verb
};

/// Wrong use of the command line; the text says what was found, what was expected and how to fix it.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace advise
