// Step 3: does a software stack run on a board, and what is the smallest change that makes it run?
#pragma once

#include <optional>
#include <steelyard/catalog.hpp>
#include <steelyard/configuration.hpp>
#include <steelyard/decision.hpp>
#include <steelyard/issue.hpp>
#include <steelyard/language.hpp>
#include <steelyard/value.hpp>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

namespace steelyard {

namespace rules {
class Book;
}

/// A stack as its user describes it. Empty text: not said. Versions are texts ("550.54.14", "12.4", "cu121", "2.3.0").
struct StackRequest {
  std::string gpu;  // any name of a board
  std::optional<int> gpu_count;
  std::string driver;                 // "550.54.14", or the branch alone ("550")
  std::string cuda;                   // toolkit ("12.4.1") or wheel variant ("cu121")
  std::string framework;              // "PyTorch", "vLLM" ...
  std::string framework_version;      // "2.3.0", "2.5.0+cu121", or whatever the user knows
  std::string image;                  // "nvcr.io/nvidia/pytorch:23.10-py3"
  std::string os;                     // "linux", "Ubuntu 20.04", "RHEL 8.6 (glibc 2.28)", "WSL2"
  std::string glibc;                  // "2.31"
  std::string kernel_module;          // "open" "proprietary"
  std::vector<std::string> packages;  // "flash-attn==2.8.0"
  std::string symptom;                // text of the error

  friend bool operator==(const StackRequest&, const StackRequest&) = default;
};

/// One code of the contract, why, and the rule that says so.
struct StackFinding {
  std::string code;      // "DRIVER_TOO_OLD"
  std::string severity;  // "blocks" "limits" "note"
  std::string message;   // with numbers
  std::string rule;      // "stack.driver.below_floor"
  std::string evidence;  // what the rule looked at
  double score = 0;      // how sure, 0..1; ranks the codes
  SourceLocation where;  // the rule in its file

  friend bool operator==(const StackFinding&, const StackFinding&) = default;
};

/// A change that makes the stack run (or that the symptom calls for), and how to make it.
struct StackFix {
  std::string change;                 // "use the cu121 wheel"
  bool touches_driver = false;        // the provider's driver has to change
  std::string command;                // may be empty where there is none to type
  bool verified = false;              // the rules were run on the changed stack and nothing blocks
  std::optional<StackRequest> stack;  // as it is after the change; empty where the change is none of the stack (a restart, a setting)

  friend bool operator==(const StackFix&, const StackFix&) = default;
};

struct StackReport {
  std::string verdict = "unknown";  // "ok" "limited" "fixable" "impossible" "unknown"
  std::vector<std::string> codes;   // most likely first, each once
  std::vector<StackFinding> findings;
  std::vector<StackFix> fixes;  // smallest first, those that leave the driver alone before the others
  std::vector<Question> questions;
};

/// Runs the step's rules of a book over one stack. Never throws for what the request says; unknown names and versions become questions.
StackReport check_stack(const StackRequest& request, const Catalog& catalog, const rules::Book& book);

/// The contract's form ("steelyard.stack/1"), without `id`.
Value to_value(const StackReport& report);

/// The answer for people: verdict, findings with their reasons, changes with their commands, questions.
std::string to_text(const StackReport& report, Language language = Language::english);

/// A stack written as YAML or JSON, {"gpu": ..., "driver": ...} or {"stack": {...}}; issues where it has faults.
Loaded<StackRequest> parse_stack(std::string text, const std::string& file);

/// One request of the batch, {"id", "stack": {...}}, or a stack alone, as JSON or YAML text; faults come back as {"id", "error": {...}}.
Value answer_stack(const Catalog& catalog, const rules::Book& book, std::string text, const std::string& file);

/// Tries every known wheel and image on the board, driver and system of the request; its software is left aside.
RunnableStacks runnable_stacks(const StackRequest& host, const Catalog& catalog, const rules::Book& book);

/// {"builds": [...], "images": [...]}.
Value to_value(const RunnableStacks& runnable);

/// Lines for people, at most `most` of each kind.
std::string to_text(const RunnableStacks& runnable, std::size_t most, Language language = Language::english);

/// The stack that a workload asks for on a configuration: what it says, filled up from the configuration.
StackRequest stack_of(const Workload& workload, const Configuration& configuration);

/// Step 3 for one offer.
struct OfferStack {
  ChosenSoftware software;
  Value facts;  // "stack.*" of the chosen software, as declared in data/schema/facts/stack.yaml, the step's answer among them
};

/// The software that runs a workload on an offer. What the workload states stays; what it leaves open is chosen so that it runs without another
/// driver. Empty where neither software nor driver is stated, or the board is not known: then there is nothing to check.
std::optional<OfferStack> stack_on(const Workload& workload, const Configuration& configuration, const rules::Book& book);

}  // namespace steelyard
