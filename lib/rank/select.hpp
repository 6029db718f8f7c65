// Decides every offer of a catalog: the node count for each, the order of all.
#pragma once

#include <steelyard/advisor.hpp>
#include <steelyard/catalog.hpp>
#include <steelyard/decision.hpp>
#include <vector>

#include "decide/measured.hpp"
#include "rules/rules.hpp"

namespace steelyard::rank {

/// All offers of the catalog, ranked, rejected or undecided.
Decision select_cluster(const Workload& workload, const Catalog& catalog, const rules::Book& book, const RecommendOptions& options,
                        const decide::MeasuredBoards* measured = nullptr);

/// One offer with the node count that the selection takes, with the full trace.
RankedOffer decide_offer(const Workload& workload, const Offer& offer, const Catalog& catalog, const rules::Book& book, const Date& today,
                         const decide::MeasuredBoards* measured = nullptr);

}  // namespace steelyard::rank
