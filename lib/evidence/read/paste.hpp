// A pasted text as clean lines: what launchers, terminals, mail and chat put around the output of a tool is taken off.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steelyard::evidence {

struct Line {
  int number = 0;       // 1-based line of the pasted text; overwritten parts (carriage returns) share one
  std::string text;     // without prefixes, colours and line end; indentation kept
  bool elided = false;  // stands for text that was left out ("...", "[snip]")
};

struct Paste {
  std::vector<Line> lines;

  /// Is a line that stands for left-out text among lines [first, last] (numbers)?
  bool elided_between(int first, int last) const;
};

/// Takes off: byte order mark, ANSI colours, quote marks ("> "), tags of mpirun ("[1,0]<stdout>:"), srun ("0: "), rank tags ("[0]"),
/// time stamps and the level behind them, "host: " of parallel shells, "host process[1]: " of the journal and line numbers where all lines have
/// them. HTML entities become characters. Splits at carriage returns.
Paste clean(std::string_view text);

}  // namespace steelyard::evidence
