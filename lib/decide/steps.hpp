// Runs the four steps of a rule book over gathered facts and turns outcomes into verdicts, reasons, questions and a trace.
//
// A book answers these decisions; one that it does not have is left out:
//   task.type, task.preference           word; number (lower is preferred ahead of cost)
//   network.csi, network.tier            number; word
//   <step>.verdict                       list of {verdict: accept|reject, code, needed, actual, unit}, for task, network, stack, cost
//   <step>.warnings                      list of {code}
//   cost.peak_tflops, cost.interconnect, cost.memory, cost.software, cost.tflops, cost.unit
#pragma once

#include <steelyard/decision.hpp>
#include <steelyard/language.hpp>

#include "rules/rules.hpp"

namespace steelyard::decide {

/// The steps in the order of the pipeline.
inline constexpr const char* step_names[] = {"task", "network", "stack", "cost"};

/// How much to write down: one offer wants everything; `bulk` wants verdicts, the first reason against a machine and, of accepted ones, what
/// `verdict` gives.
enum class Detail { bulk, verdict, trace };

/// Does a verdict have nothing to say: decided, and no rule that may reject? False where only its outcome can tell.
bool certainly_clean(rules::Session& session, rules::DecisionId verdict);

/// Only the warnings of a step.
void run_warnings(rules::Session& session, const char* step, Estimate& estimate);

/// Adds one step's verdict, reasons, warnings and questions (and trace) to an estimate.
void run_step(rules::Session& session, const char* step, Detail detail, Estimate& estimate);

/// Reject where a step rejects; unknown where one is open; else accept.
void conclude(Estimate& estimate, Language language);

}  // namespace steelyard::decide
