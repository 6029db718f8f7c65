#include "rank/bulk.hpp"

#include <algorithm>

#include "decide/offer_filter.hpp"
#include "rank/node_counts.hpp"

namespace steelyard::rank {

namespace {

using Verdict = Outcome::Verdict;

Verdict verdict_of(const Estimate& estimate) {
  return estimate.verdict == "accept" ? Verdict::accept : estimate.verdict == "reject" ? Verdict::reject : Verdict::unknown;
}

bool depends_on(const rules::Book& book, const char* decision, const char* fact) {
  const auto dependents = book.dependents(fact);
  return std::find(dependents.begin(), dependents.end(), decision) != dependents.end();
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

Bulk::Bulk(const Workload& workload, const Catalog& catalog, const rules::Book& book, const decide::MeasuredBoards* measured)
    : workload_(workload),
      catalog_(catalog),
      offers_(catalog.offers()),
      book_(book),
      machines_(workload, catalog, book, decide::Detail::verdict, measured),
      excluded_by_region_(depends_on(book, "offer.verdict", "offer.region")),
      of_row_(offers_.size()) {
  auto rows = rows_by_kind(offers_);
  for (std::size_t kind = 0; kind < rows.size(); ++kind) {
    if (!rows[kind].empty()) decide_kind(static_cast<OfferList::Kind>(kind), rows[kind]);
  }
}

Configuration Bulk::configuration(std::size_t row) const {
  Configuration configuration = offers_.kind(offers_.kind_of(row)).configuration;
  if (configuration.price) configuration.price->amount = offers_.amount(row);
  if (outcome(row).machine) configuration.nodes = outcome(row).nodes;
  return configuration;
}

RankedOffer Bulk::ranked(std::size_t row) const {
  RankedOffer ranked;
  ranked.offer = offers_.id(row);
  ranked.configuration = configuration(row);
  ranked.estimate = outcome(row).machine->priced(ranked.configuration);
  return ranked;
}

std::uint32_t Bulk::add(Outcome outcome) {
  outcomes_.push_back(std::move(outcome));
  return static_cast<std::uint32_t>(outcomes_.size() - 1);
}

std::uint32_t Bulk::accepted(OfferList::Kind kind, int nodes, decide::MachineDecision& machine) {
  const auto [known, fresh] = accepted_.try_emplace({kind, nodes}, 0);
  if (fresh) known->second = add({Verdict::accept, kind, nodes, &machine, {}, {}});
  return known->second;
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
  auto estimate = decide::excluded(workload_, offers_[row], book_);
  if (!estimate) return std::nullopt;
  return not_accepted(offers_.kind_of(row), offers_.kind(offers_.kind_of(row)).configuration.nodes, nullptr, std::move(*estimate));
}

void Bulk::decide_kind(OfferList::Kind kind, Rows& rows) {
  if (!excluded_by_region_) {
    if (const auto out = excluded(rows.front())) {
      for (const std::uint32_t row : rows) of_row_[row] = *out;
      return;
    }
    return decide_by_price(kind, rows);
  }
  std::map<std::string_view, std::optional<std::uint32_t>> regions;
  Rows in;
  for (const std::uint32_t row : rows) {
    const auto [known, fresh] = regions.try_emplace(offers_.region(row));
    if (fresh) known->second = excluded(row);
    if (known->second) {
      of_row_[row] = *known->second;
    } else {
      in.push_back(row);
    }
  }
  if (!in.empty()) decide_by_price(kind, in);
}

void Bulk::decide_by_price(OfferList::Kind, Rows& rows) {
  const auto [first, priced] = choose(rows.front());
  if (!priced) {
    for (const std::uint32_t row : rows) of_row_[row] = first;
    return;
  }
  // Equal prices are decided once.
  std::sort(rows.begin(), rows.end(), [&](std::uint32_t one, std::uint32_t other) { return offers_.amount(one) < offers_.amount(other); });
  std::uint32_t last = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const bool same = at > 0 && offers_.amount(rows[at]) == offers_.amount(rows[at - 1]);
    if (!same) last = choose(rows[at]).first;
    of_row_[rows[at]] = last;
  }
}

/// The outcome of a machine that nothing speaks against but, maybe, its price.
std::uint32_t Bulk::judge_price(OfferList::Kind kind, const Configuration& configuration, decide::MachineDecision& machine) {
  if (machine.base().questions.empty() && machine.certainly_accepts(configuration)) return accepted(kind, configuration.nodes, machine);
  Estimate estimate = machine.priced(configuration);
  if (estimate.verdict == "accept") return accepted(kind, configuration.nodes, machine);
  return not_accepted(kind, configuration.nodes, &machine, std::move(estimate));
}

/// The best node count: accepted (within budget and deadline) before open before rejected, then the fewest nodes: more cost more for the same work.
std::pair<std::uint32_t, bool> Bulk::choose(std::size_t row) {
  const OfferList::Kind kind = offers_.kind_of(row);
  std::optional<std::uint32_t> best;
  bool priced = false;
  Configuration configuration = offers_.kind(kind).configuration;
  if (configuration.price) configuration.price->amount = offers_.amount(row);
  for (const int nodes : node_counts(workload_, configuration)) {
    configuration.nodes = nodes;
    decide::MachineDecision& machine = machines_.decide(configuration);
    std::uint32_t found = 0;
    if (!machine.base().reasons.empty()) {
      const auto [known, fresh] = rejected_.try_emplace({kind, nodes}, 0);
      if (fresh) known->second = not_accepted(kind, nodes, &machine, machine.priced(configuration));
      found = known->second;
    } else {
      priced = true;
      found = judge_price(kind, configuration, machine);
    }
    const Verdict verdict = outcomes_[found].verdict;
    if (!best || verdict < outcomes_[*best].verdict) best = found;
    if (verdict == Verdict::accept) break;
    if (outcomes_[*best].verdict == Verdict::unknown && Machines::network_unknown(configuration)) break;
  }
  return {*best, priced};
}

}  // namespace steelyard::rank
