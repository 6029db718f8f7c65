#include "rank/by_price.hpp"

#include <algorithm>

#include "rank/node_counts.hpp"

namespace steelyard::rank {

namespace {

using Verdict = Outcome::Verdict;

Verdict verdict_of(const Estimate& estimate) {
  return estimate.verdict == "accept" ? Verdict::accept : estimate.verdict == "reject" ? Verdict::reject : Verdict::unknown;
}

}  // namespace

Outcome not_accepted(OfferList::Kind kind, int nodes, decide::MachineDecision* machine, Estimate estimate) {
  Outcome outcome{verdict_of(estimate), kind, nodes, machine, {}, std::move(estimate.questions)};
  if (!estimate.reasons.empty()) {
    outcome.reason = std::move(estimate.reasons.front());
  } else if (!outcome.questions.empty()) {
    outcome.reason = {"undecided", outcome.questions.front().ask, {}, {}, {}, {}};
  }
  return outcome;
}

ByPrice::ByPrice(const decide::Job& job, const OfferList& offers, Machines& machines, const decide::PriceContext& context, OfferList::Kind kind)
    : offers_(offers), machines_(machines), context_(context), kind_(kind), configuration_(offers.kind(kind).configuration) {
  for (const int nodes : node_counts(job.workload, configuration_)) candidates_.push_back({nodes, nullptr, {}, {}});
}

void ByPrice::run(std::vector<std::uint32_t>& rows, std::vector<std::uint32_t>& of_row) {
  const auto at_price_of = [&](std::uint32_t row) {
    if (configuration_.price) configuration_.price->amount = offers_.amount(row);
    return choose();
  };
  const auto [first, priced] = at_price_of(rows.front());
  if (!priced) {
    for (const std::uint32_t row : rows) of_row[row] = first;
    return;
  }
  // Equal prices are decided once.
  std::sort(rows.begin(), rows.end(), [&](std::uint32_t one, std::uint32_t other) { return offers_.amount(one) < offers_.amount(other); });
  std::uint32_t last = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const bool same = at > 0 && offers_.amount(rows[at]) == offers_.amount(rows[at - 1]);
    if (!same) last = at_price_of(rows[at]).first;
    of_row[rows[at]] = last;
  }
}

std::uint32_t ByPrice::add(Outcome outcome) {
  outcomes_.push_back(std::move(outcome));
  return static_cast<std::uint32_t>(outcomes_.size() - 1);
}

/// The outcome of a machine that is out at any price.
std::uint32_t ByPrice::rejected(Candidate& candidate) {
  if (!candidate.rejected)
    candidate.rejected = add({Verdict::reject, kind_, candidate.nodes, candidate.machine, candidate.machine->base().reasons.front(), {}});
  return *candidate.rejected;
}

/// The outcome of a machine that nothing speaks against but, maybe, its price.
std::uint32_t ByPrice::judge_price(Candidate& candidate) {
  const bool clear = candidate.machine->base().questions.empty() && candidate.machine->certainly_accepts(configuration_, context_);
  if (!clear) {
    Estimate estimate = candidate.machine->priced(configuration_, context_);
    if (estimate.verdict != "accept") return add(not_accepted(kind_, candidate.nodes, candidate.machine, std::move(estimate)));
  }
  if (!candidate.accepted) candidate.accepted = add({Verdict::accept, kind_, candidate.nodes, candidate.machine, {}, {}});
  return *candidate.accepted;
}

/// The best node count: accepted (within budget and deadline) before open before rejected, then the fewest nodes: more cost more for the same work.
std::pair<std::uint32_t, bool> ByPrice::choose() {
  std::optional<std::uint32_t> best;
  bool priced = false;
  for (Candidate& candidate : candidates_) {
    configuration_.nodes = candidate.nodes;
    if (!candidate.machine) candidate.machine = &machines_.decide(configuration_);
    const bool out = !candidate.machine->base().reasons.empty();
    const std::uint32_t found = out ? rejected(candidate) : judge_price(candidate);
    priced = priced || !out;
    const Verdict verdict = outcomes_[found].verdict;
    if (!best || verdict < outcomes_[*best].verdict) best = found;
    if (verdict == Verdict::accept) break;
    if (outcomes_[*best].verdict == Verdict::unknown && Machines::network_unknown(configuration_)) break;
  }
  return {*best, priced};
}

}  // namespace steelyard::rank
