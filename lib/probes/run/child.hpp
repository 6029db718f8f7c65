// A child process with a deadline, whose results come as lines and whose output is kept.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::probes {

struct ChildRequest {
  std::vector<std::string> command;  // program, then arguments; "{results}" stands for the descriptor of the result lines
  std::string input;                 // written to its standard input
  double deadline_s = 60;
  std::function<void(std::string_view line)> line;  // called for each whole line of results
  std::function<bool()> cancelled;                  // may be empty; asked at least every 0.2 s
};

struct ChildResult {
  enum class End { exited, crashed, timed_out, cancelled, not_started };
  End end = End::not_started;
  int code = 0;     // exit code, or the signal of a crash
  std::string log;  // the last 64 KiB of standard output and error
};

/// Runs it in a process group of its own and kills the whole group at the deadline or when cancelled. Nothing survives the call.
ChildResult run_child(const ChildRequest& request);

/// "exit code 1", "crashed: Segmentation fault", "no end within the deadline" ...
std::string describe(const ChildResult& result);

}  // namespace steelyard::probes
