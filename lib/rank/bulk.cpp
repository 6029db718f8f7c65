#include "rank/bulk.hpp"

#include <algorithm>
#include <iterator>

#include "core/parallel.hpp"
#include "rank/node_counts.hpp"

namespace steelyard::rank {

namespace {

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
      offers_(catalog.offers()),
      job_(workload, catalog.rates(), book, measured),
      context_{today, {}},
      filter_(workload, book),
      machines_(job_, detail_for(book)),
      excluded_by_region_(book.rests_on("offer.verdict", "offer.region") ||
                          (!workload.constraints.markets.empty() && book.rests_on("offer.verdict", "offer.market"))),
      of_row_(offers_.size()) {
  auto rows = rows_by_kind(offers_);
  std::vector<OfferList::Kind> open;  // kinds that are not excluded as a whole
  for (OfferList::Kind kind = 0; kind < rows.size(); ++kind) {
    if (!rows[kind].empty() && !exclude(rows[kind])) open.push_back(kind);
  }
  decide_families(open, rows);
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

std::optional<std::uint32_t> Bulk::excluded(std::size_t row) {
  const OfferList::Kind kind = offers_.kind_of(row);
  auto estimate = filter_.excluded(offers_.kind(kind), offers_.region(row));
  if (!estimate) return std::nullopt;
  return add(not_accepted(kind, offers_.kind(kind).configuration.nodes, nullptr, std::move(*estimate)));
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

/// Kinds that share machines stay together, each such family is one piece of work.
void Bulk::decide_families(const std::vector<OfferList::Kind>& kinds, std::vector<Rows>& rows) {
  constexpr std::size_t least_for_a_thread = 8;
  std::map<Machines::Key, std::vector<std::size_t>> by_family;
  std::vector<ByPrice> steps;
  steps.reserve(kinds.size());
  for (std::size_t at = 0; at < kinds.size(); ++at) {
    steps.emplace_back(job_, offers_, machines_, context_, kinds[at]);
    by_family[Machines::family(offers_.kind(kinds[at]).configuration)].push_back(at);
  }
  std::vector<const std::vector<std::size_t>*> families;
  for (const auto& [key, members] : by_family) families.push_back(&members);
  for_each_index(families.size(), least_for_a_thread, [&](std::size_t turn) {
    // From both ends: neighbours share models, for which two threads would wait.
    const std::size_t family = turn % 2 == 0 ? turn / 2 : families.size() - 1 - turn / 2;
    for (const std::size_t at : *families[family]) steps[at].run(rows[kinds[at]], of_row_);
  });
  for (std::size_t at = 0; at < kinds.size(); ++at) {
    const auto before = static_cast<std::uint32_t>(outcomes_.size());
    for (const std::uint32_t row : rows[kinds[at]]) of_row_[row] += before;
    std::move(steps[at].outcomes().begin(), steps[at].outcomes().end(), std::back_inserter(outcomes_));
  }
}

}  // namespace steelyard::rank
