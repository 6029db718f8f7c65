// Facts for the rules: what is known of a job, a board, a configuration and a plan, under dotted names.
// Names and units are declared in rules/facts/*.yaml. What is not known is absent.
#pragma once

#include <optional>
#include <steelyard/configuration.hpp>
#include <steelyard/decision.hpp>
#include <steelyard/money.hpp>
#include <steelyard/value.hpp>
#include <steelyard/workload.hpp>

namespace steelyard::decide {

Value workload_facts(const Workload& workload, const ExchangeRates& rates);
Value model_facts(const Model& model);
Value board_facts(const Board& board);
Value configuration_facts(const Configuration& configuration);
Value plan_facts(const Plan& plan);
Value memory_facts(const MemoryEstimate& memory);
Value time_facts(const TimeEstimate& time);

/// Price of the whole configuration, in USD per hour; empty without a price or a rate.
std::optional<double> usd_per_hour(const Configuration& configuration, const ExchangeRates& rates);

}  // namespace steelyard::decide
