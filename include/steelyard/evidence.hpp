// Evidence: what a text that somebody pasted says, whether it is sound, whether a promise was kept, and what is wrong.
#pragma once

#include <memory>
#include <optional>
#include <steelyard/configuration.hpp>
#include <steelyard/issue.hpp>
#include <steelyard/language.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

namespace rules {
class Book;
}

/// What one tool said about one subject. Names and keys are those of docs/reference/evidence.md.
struct ToolRecord {
  std::string tool;          // "nccl-tests" "perftest" "ibstat" ...
  std::string tool_version;  // the tool's own, as printed; empty where it is not
  std::string subject;       // "all_reduce" "write_bw" "ports" ...; empty where the text does not tell
  Value facts = Value::map();
  int first_line = 0, last_line = 0;  // 1-based lines of the pasted text
  bool complete = false;              // false: a header, rows, a footer or the end of a block is missing

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

/// Is what a text shows sound? Judged against its own kind, since there is no promise; the worst record decides.
struct PasteVerdict {
  /// healthy degraded defective fails_promise not_rdma pcie_only config_fault false_alarm software_unfit info no_verdict
  std::string verdict_class = "no_verdict";
  std::string because;           // one sentence with the figures
  std::string rule;              // id of the rule that decided; empty where there was nothing to judge
  SourceLocation where;          // of that rule
  std::vector<std::string> ask;  // what to paste or to measure next
  int line = 0;                  // 1-based line of the text that shows it; 0 where there is none
  std::string quote;             // that line, without launcher prefixes and identities
};

struct PasteReading {
  std::vector<ToolRecord> records;
  PasteVerdict verdict;
  std::vector<std::string> redacted;  // kinds of identities found in the text
};

/// A text with the name that reports call it by ("ibstat.txt").
struct EvidenceFile {
  std::string name;
  std::string text;
};

/// One step of the acceptance test. `result`: "pass" "fail" "not_proven".
struct VerifyStep {
  std::string step;  // "0 identity" "1 link" "2 write bandwidth" "3 collective" "4 burn-in" "5 workload"
  std::string result = "not_proven";
  std::string promised, measured;  // in words, with units
  std::string evidence;            // "ibstat.txt:7"; empty where there is none
  std::string because;
  std::string rule;
  SourceLocation where;
};

struct VerifyReport {
  std::string result = "not_proven";
  std::vector<VerifyStep> steps;      // always all six
  std::vector<std::string> redacted;  // kinds of identities found in the texts
};

/// A likely cause of what a text shows. `score` 0..1.
struct Cause {
  std::string id;  // of docs/reference/evidence.md, or a stack code
  std::string cause, check, remedy;
  double score = 0;
  std::string evidence;  // what points at it
  std::string rule;
  SourceLocation where;
};

struct Diagnosis {
  std::vector<Cause> causes;  // likeliest first
  std::vector<std::string> ask;
};

Value to_value(const ToolRecord& record);
Value to_value(const PasteReading& reading);
Value to_value(const VerifyReport& report);
Value to_value(const Diagnosis& diagnosis);

/// Reads, judges, verifies and diagnoses by the rules of one book. Immutable and cheap to copy; share it between threads.
class Evidence {
 public:
  /// The book `reference` that is compiled into the library.
  static Evidence embedded();
  /// A shipped book ("reference", "field_guide") or a folder of rules; judging a paste and diagnosing stay with `reference` where the book has no
  /// rules for it.
  static Loaded<Evidence> with_rules(const std::string& name_or_folder, Language language = Language::english);
  /// The same with a book at hand, in its language.
  static Evidence with_book(const rules::Book& book);

  PasteReading read(std::string_view text) const;
  /// Does the evidence prove what was promised? Missing evidence is `not_proven`, never `pass`.
  VerifyReport verify(const Configuration& promise, const std::vector<EvidenceFile>& files) const;
  Diagnosis diagnose(std::string_view text) const;
  /// What to run, which figures to reach, what to put into the contract and which settings go with it:
  /// {"commands", "thresholds": [{"metric", "min" or "max", "unit", "because"}], "contract_terms", "environment"}.
  Value acceptance(const Configuration& offer) const;
  /// A bash script that runs the commands with standard tools and leaves files that `verify` reads.
  std::string acceptance_script(const Configuration& offer) const;

  struct Books;
  explicit Evidence(std::shared_ptr<const Books> books) : books_(std::move(books)) {}

 private:
  std::shared_ptr<const Books> books_;
};

/// Measured curves and rates of the records as a calibration (schema steelyard.calibration/1); empty list of measurements where there are none.
Value as_calibration(const std::vector<ToolRecord>& records);

}  // namespace steelyard
