// Decides every offer of a catalog: the node count for each, the order of all.
#pragma once

#include <steelyard/catalog.hpp>
#include <steelyard/decision.hpp>
#include <vector>

#include "decide/measured.hpp"
#include "rules/rules.hpp"

namespace steelyard::rank {

/// All offers of the catalog, ranked, rejected or undecided. The trace is kept for the first `trace_top` of the ranking.
Decision select_cluster(const Workload& workload, const Catalog& catalog, const rules::Book& book, const Date& today, std::size_t trace_top,
                        const decide::MeasuredBoards* measured = nullptr);

/// One offer with the node count that the selection takes, with the full trace.
RankedOffer decide_offer(const Workload& workload, const Offer& offer, const Catalog& catalog, const rules::Book& book, const Date& today,
                         const decide::MeasuredBoards* measured = nullptr);

/// Node counts to try for an offer, fewest first: what the constraints allow, doubling.
std::vector<int> node_counts(const Workload& workload, const Offer& offer);

}  // namespace steelyard::rank
