#include "rank/bulk.hpp"

#include <algorithm>

#include "rank/node_counts.hpp"

namespace steelyard::rank {

namespace {

using Verdict = Outcome::Verdict;

Verdict verdict_of(const Estimate& estimate) {
  return estimate.verdict == "accept" ? Verdict::accept : estimate.verdict == "reject" ? Verdict::reject : Verdict::unknown;
}

// A bulk run asks step 1 before it computes what only later steps look at.
decide::Detail detail_for(const rules::Book& book) {
  const bool needs_all = book.rests_on("task.verdict", "scaling.") || book.rests_on("task.verdict", "stack.");
  return needs_all ? decide::Detail::verdict : decide::Detail::bulk;
}

// The rows of each kind, in the order of the catalog.
std::vector<std::vector<std::uint32_t>> rows_by_kind(const OfferList& offers) {
  std::vector<std::size_t> counts(offers.kinds());
  for (std::size_t row = 0; row < offers.size(); ++row) ++counts[offers.kind_of(row)];
  std::vector<std::vector<std::uint32_t>> rows(offers.kinds());
  for (std::size_t kind = 0; kind < rows.size(); ++kind) rows[kind].reserve(counts[kind]);
  for (std::size_t row = 0; row < offers.size(); ++row) rows[offers.kind_of(row)].push_back(static_cast<std::uint32_t>(row));
  return rows;
}

}  // namespace

Bulk::Bulk(const Workload& workload, const Catalog& catalog, const rules::Book& book, const Date& today, const decide::MeasuredBoards* measured)
    : workload_(workload),
      catalog_(catalog),
      offers_(catalog.offers()),
      book_(book),
      context_{today, {}},
      filter_(workload, book),
      machines_(workload, catalog, book, detail_for(book), measured),
      excluded_by_region_(book.rests_on("offer.verdict", "offer.region")),
      of_row_(offers_.size()) {
  auto rows = rows_by_kind(offers_);
  std::vector<OfferList::Kind> open;  // kinds that are not excluded as a whole
  for (OfferList::Kind kind = 0; kind < rows.size(); ++kind) {
    if (!rows[kind].empty() && !exclude(rows[kind])) open.push_back(kind);
  }
  prepare_machines(open);
  for (const OfferList::Kind kind : open) decide_by_price(kind, rows[kind]);
}

// Every kind needs its smallest number of nodes at least.
void Bulk::prepare_machines(const std::vector<OfferList::Kind>& kinds) {
  std::vector<Configuration> configurations;
  for (const OfferList::Kind kind : kinds) {
    Configuration& configuration = configurations.emplace_back(offers_.kind(kind).configuration);
    configuration.nodes = node_counts(workload_, configuration).front();
  }
  machines_.prepare(configurations);
}

Configuration Bulk::configuration(std::size_t row) const {
  Configuration configuration = offers_.kind(offers_.kind_of(row)).configuration;
  if (configuration.price) configuration.price->amount = offers_.amount(row);
  if (outcome(row).machine) configuration.nodes = outcome(row).nodes;
  return configuration;
}

RankedOffer Bulk::figures(std::size_t row) const {
  RankedOffer ranked;
  ranked.offer = offers_.id(row);
  ranked.configuration = configuration(row);
  ranked.estimate = outcome(row).machine->figures(ranked.configuration);
  return ranked;
}

std::uint32_t Bulk::add(Outcome outcome) {
  outcomes_.push_back(std::move(outcome));
  return static_cast<std::uint32_t>(outcomes_.size() - 1);
}

std::uint32_t Bulk::not_accepted(OfferList::Kind kind, int nodes, decide::MachineDecision* machine, Estimate estimate) {
  Outcome outcome{verdict_of(estimate), kind, nodes, machine, {}, std::move(estimate.questions)};
  if (!estimate.reasons.empty()) {
    outcome.reason = std::move(estimate.reasons.front());
  } else if (!outcome.questions.empty()) {
    outcome.reason = {"undecided", outcome.questions.front().ask, {}, {}, {}, {}};
  }
  return add(std::move(outcome));
}

std::optional<std::uint32_t> Bulk::excluded(std::size_t row) {
  auto estimate = filter_.excluded(offers_[row]);
  if (!estimate) return std::nullopt;
  return not_accepted(offers_.kind_of(row), offers_.kind(offers_.kind_of(row)).configuration.nodes, nullptr, std::move(*estimate));
}

/// Takes excluded offers from the rows of a kind; true where none is left.
bool Bulk::exclude(Rows& rows) {
  if (!excluded_by_region_) {
    const auto out = excluded(rows.front());
    if (out) {
      for (const std::uint32_t row : rows) of_row_[row] = *out;
    }
    return out.has_value();
  }
  std::map<std::string_view, std::optional<std::uint32_t>> regions;
  std::erase_if(rows, [&](std::uint32_t row) {
    const auto [known, fresh] = regions.try_emplace(offers_.region(row));
    if (fresh) known->second = excluded(row);
    if (known->second) of_row_[row] = *known->second;
    return known->second.has_value();
  });
  return rows.empty();
}

void Bulk::decide_by_price(OfferList::Kind kind, Rows& rows) {
  Configuration configuration = offers_.kind(kind).configuration;
  std::vector<Candidate> candidates;
  for (const int nodes : node_counts(workload_, configuration)) candidates.push_back({nodes, nullptr, {}, {}});
  const auto at_price_of = [&](std::uint32_t row) {
    if (configuration.price) configuration.price->amount = offers_.amount(row);
    return choose(configuration, kind, candidates);
  };
  const auto [first, priced] = at_price_of(rows.front());
  if (!priced) {
    for (const std::uint32_t row : rows) of_row_[row] = first;
    return;
  }
  // Equal prices are decided once.
  std::sort(rows.begin(), rows.end(), [&](std::uint32_t one, std::uint32_t other) { return offers_.amount(one) < offers_.amount(other); });
  std::uint32_t last = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const bool same = at > 0 && offers_.amount(rows[at]) == offers_.amount(rows[at - 1]);
    if (!same) last = at_price_of(rows[at]).first;
    of_row_[rows[at]] = last;
  }
}

/// The outcome of a machine that is out at any price.
std::uint32_t Bulk::rejected(OfferList::Kind kind, Candidate& candidate) {
  if (!candidate.rejected)
    candidate.rejected = add({Verdict::reject, kind, candidate.nodes, candidate.machine, candidate.machine->base().reasons.front(), {}});
  return *candidate.rejected;
}

/// The outcome of a machine that nothing speaks against but, maybe, its price.
std::uint32_t Bulk::judge_price(OfferList::Kind kind, const Configuration& configuration, Candidate& candidate) {
  const bool clear = candidate.machine->base().questions.empty() && candidate.machine->certainly_accepts(configuration, context_);
  if (!clear) {
    Estimate estimate = candidate.machine->priced(configuration, context_);
    if (estimate.verdict != "accept") return not_accepted(kind, candidate.nodes, candidate.machine, std::move(estimate));
  }
  if (!candidate.accepted) candidate.accepted = add({Verdict::accept, kind, candidate.nodes, candidate.machine, {}, {}});
  return *candidate.accepted;
}

/// The best node count: accepted (within budget and deadline) before open before rejected, then the fewest nodes: more cost more for the same work.
std::pair<std::uint32_t, bool> Bulk::choose(Configuration& configuration, OfferList::Kind kind, std::vector<Candidate>& candidates) {
  std::optional<std::uint32_t> best;
  bool priced = false;
  for (Candidate& candidate : candidates) {
    configuration.nodes = candidate.nodes;
    if (!candidate.machine) candidate.machine = &machines_.decide(configuration);
    const bool out = !candidate.machine->base().reasons.empty();
    const std::uint32_t found = out ? rejected(kind, candidate) : judge_price(kind, configuration, candidate);
    priced = priced || !out;
    const Verdict verdict = outcomes_[found].verdict;
    if (!best || verdict < outcomes_[*best].verdict) best = found;
    if (verdict == Verdict::accept) break;
    if (outcomes_[*best].verdict == Verdict::unknown && Machines::network_unknown(configuration)) break;
  }
  return {*best, priced};
}

}  // namespace steelyard::rank
