// What all machines that are asked about one job have in common.
#pragma once

#include <memory>
#include <optional>
#include <steelyard/catalog.hpp>
#include <steelyard/memory.hpp>
#include <steelyard/workload.hpp>

#include "decide/measured.hpp"
#include "rules/rules.hpp"
#include "rules/session_pool.hpp"

namespace steelyard::decide {

/// The facts of step 4 that differ from offer to offer, and what they decide.
struct PriceFacts {
  explicit PriceFacts(const rules::Book& book);

  std::optional<rules::FactId> per_node_hour, per_gpu_hour, usd_per_gpu_hour, usd_per_hour, purchase, total_usd, hours;
  std::optional<rules::DecisionId> verdict;
};

/// A job and what it is judged by. Refers to all it is given, which must outlive it; safe to read from several threads.
struct Job {
  Job(const Workload& the_workload, const ExchangeRates& the_rates, const rules::Book& the_book, const MeasuredBoards* the_measured = nullptr);

  const Workload& workload;
  const ExchangeRates& rates;
  const rules::Book& book;
  const MeasuredBoards* measured;      // null: nothing was measured
  PlanOptions plans;                   // how plans are searched: how full memory may be
  std::shared_ptr<const Value> facts;  // "workload" and "model"
  PriceFacts price;
  mutable rules::SessionPool sessions;  // of the book
};

}  // namespace steelyard::decide
