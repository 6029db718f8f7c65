// The smallest changes that give another outcome, each verified by running the engine with them.
#pragma once

#include <steelyard/catalog.hpp>
#include <steelyard/decision.hpp>
#include <vector>

#include "decide/measured.hpp"
#include "rules/rules.hpp"

namespace steelyard::explain {

/// Changes that make a rejected or open configuration accepted: single ones first, pairs where no single one does it.
std::vector<WhatIf> to_accept(const Workload& workload, const Configuration& configuration, const ExchangeRates& rates, const rules::Book& book,
                              const decide::MeasuredBoards* measured = nullptr);

/// The price at which an accepted offer that is not first becomes first; empty where no price does it or it is first already.
std::vector<WhatIf> to_win(const Workload& workload, const Decision& decision, const std::string& offer, const ExchangeRates& rates,
                           const rules::Book& book, const decide::MeasuredBoards* measured = nullptr);

}  // namespace steelyard::explain
