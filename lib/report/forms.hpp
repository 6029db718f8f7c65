// Answers as Values in the forms of the contract.
#pragma once

#include <optional>
#include <steelyard/decision.hpp>
#include <steelyard/value.hpp>
#include <string>

#include "core/entries.hpp"

namespace steelyard::report {

using steelyard::known;

Value form(const Money& money);
Value form(const Plan& plan);
Value form(const ChosenSoftware& software);
Value form(const MemoryEstimate& memory);
Value form(const EffectiveCompute& effective);
Value form(const TraceStep& step);
Value form(const Question& question);
Value form(const Reason& reason);
Value form(const WhatIf& what_if);
Value form(const Choice& choice);
Value form(const CostParts& parts);
Value form(const NodeScaling& scaling);
Value form(const GrowthStep& step);
Value form(const Sensitivity& sensitivity);
/// The throughput of the job in its own unit: {"value", "low", "high", "unit"}, or null.
Value throughput(const Estimate& estimate);

}  // namespace steelyard::report
