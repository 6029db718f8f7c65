// The verbs as data: JSON or YAML text in, a Value in the form of the contract out. For batches, C and Python.
#pragma once

#include <steelyard/advisor.hpp>
#include <steelyard/value.hpp>
#include <string>
#include <string_view>

namespace steelyard {

/// One request of `estimate`: {"id", "workload", "configuration"}, or with "collective" or "gemm" in place of the workload.
/// Faults of the request come back as {"id", "error": {"message", "issues"}}.
Value answer_estimate(const Advisor& advisor, std::string text, const std::string& file);

/// {"message": all issues as text, "issues": [{"file", "line", "column", "message", "fix"}]}
Value to_value(const Issues& issues);

/// The contract's forms of the answers.
Value to_value(const Estimate& estimate);
Value to_value(const Decision& decision, std::size_t top);
Value to_value(const Explanation& explanation);
Value to_value(const Comparison& comparison);
Value to_value(const TraceStep& step);

/// Any YAML or JSON text as a value.
Loaded<Value> parse_value(std::string text, std::string file);

}  // namespace steelyard
