// Evidence: what a text that somebody pasted says, whether it is sound, whether a promise was kept, and what is wrong.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <steelyard/value.hpp>

namespace steelyard {

/// What one tool said about one subject. Names and keys are those of docs/reference/evidence.md.
struct ToolRecord {
  std::string tool;          // "nccl-tests" "perftest" "ibstat" ...
  std::string tool_version;  // the tool's own, as printed; empty where it is not
  std::string subject;       // "all_reduce" "write_bw" "ports" ...; empty where the text does not tell
  Value facts = Value::map();
  int first_line = 0, last_line = 0;  // 1-based lines of the pasted text
  bool complete = false;     // false: a header, rows, a footer or the end of a block is missing

  friend bool operator==(const ToolRecord&, const ToolRecord&) = default;
};

/// All that known tools say in a text, in the order of the text. Never throws; foreign text gives no record.
/// Values of cut rows and cut last numbers are left out; nothing is guessed. Identities are redacted.
std::vector<ToolRecord> read_tool_output(std::string_view text);

/// A text without identities, and which kinds of them were found ("host names", "IP addresses" ...), sorted.
struct Redaction {
  std::string text;
  std::vector<std::string> kinds;
};

/// Replaces host and user names, addresses, GUIDs, GIDs, UUIDs, serial numbers and environment values by "<...>".
/// Device names (mlx5_0), PCI addresses and models stay. Names are known from the places where tools print them.
Redaction redact(std::string_view text);

}  // namespace steelyard
