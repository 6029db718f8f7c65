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

/// The same for an offer, which the job may not want to hear of: wider wishes count too.
std::vector<WhatIf> to_accept(const Workload& workload, const Offer& offer, const Configuration& configuration, const ExchangeRates& rates,
                              const rules::Book& book, const decide::MeasuredBoards* measured = nullptr);

/// Changes that make an accepted offer the first of the ranking: its price, another purchase of the same machine, its network or link, its nodes, or
/// that only its board is asked for; single ones first, pairs where no single one does it. Empty where nothing does, or it is first already.
std::vector<WhatIf> to_win(const Workload& workload, const Decision& decision, const std::string& offer, const ExchangeRates& rates,
                           const rules::Book& book, const decide::MeasuredBoards* measured = nullptr);

}  // namespace steelyard::explain
