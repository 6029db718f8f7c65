#include "rank/order.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "decide/4_cost/terms.hpp"
#include "rank/rank.hpp"

namespace steelyard::rank {

namespace {

constexpr double unknown_last = std::numeric_limits<double>::infinity();

// USD for one unit of a price's amount; infinite where it is not known.
double per_amount(const std::optional<Money>& money, double amount, const ExchangeRates& rates) {
  const auto usd = money ? rates.convert(*money, "USD") : std::nullopt;
  return usd && amount > 0 ? usd->amount / amount : unknown_last;
}

}  // namespace

Order::Line Order::line_of(std::size_t row) const {
  const RankedOffer ranked = bulk_.figures(row);
  Line line;
  line.known = true;
  line.first = static_cast<std::uint32_t>(row);
  line.preference = ranked.estimate.preference.value_or(0);
  line.rate = main_rate(ranked.estimate.time);
  line.usd = unknown_last;
  if (const auto& price = ranked.configuration.price) {
    line.terms = price->terms != nullptr;
    line.units = decide::units_of(*price, ranked.configuration.gpus_per_node, ranked.configuration.nodes) * decide::paid_share(*price);
    if (const auto usd = rates_.convert({1, price->currency}, "USD")) line.usd = usd->amount;
  }
  const double amount = offers_.amount(row);
  line.cost = per_amount(ranked.estimate.cost, amount, rates_);
  line.unit_cost = per_amount(ranked.estimate.unit_cost ? std::optional(ranked.estimate.unit_cost->money) : std::nullopt, amount, rates_);
  return line;
}

void Order::add(std::size_t row) {
  Line& line = lines_[bulk_.outcome_number(row)];
  if (!line.known) line = line_of(row);
  const double amount = offers_.amount(row), first = offers_.amount(line.first);
  const std::uint32_t number = static_cast<std::uint32_t>(row);
  if (amount < first || (amount == first && offers_.id(row) < offers_.id(line.first))) line.first = number;
  entries_.push_back({line.preference, cost_of_work(row, line), number});
}

double Order::cost_of_work(std::size_t row, const Line& line) const {
  if (line.terms) return rank::cost_of_work(bulk_.figures(row), rates_);
  return line.rate > 0 ? offers_.amount(row) * line.units * line.usd / line.rate : unknown_last;
}

double Order::cost_of(std::size_t row, const Line& line) const {
  if (!line.terms) return offers_.amount(row) * line.cost;
  const auto usd = rates_.convert(bulk_.figures(row).estimate.cost.value_or(Money{unknown_last, "USD"}), "USD");
  return usd ? usd->amount : unknown_last;
}

bool Order::before(const Entry& one, const Entry& other) const {
  if (one.preference != other.preference) return one.preference < other.preference;
  if (one.cost_of_work != other.cost_of_work) return one.cost_of_work < other.cost_of_work;
  const auto rest = [&](const Entry& entry) {
    const Line& own = line(entry.row);
    const double amount = offers_.amount(entry.row);
    return std::tuple(cost_of(entry.row, own), amount * own.unit_cost, amount * own.units * own.usd, offers_.id(entry.row));
  };
  return rest(one) < rest(other);
}

std::vector<std::size_t> Order::head_and_firsts(std::size_t head) {
  if (head < entries_.size()) {
    const auto middle = entries_.begin() + static_cast<std::ptrdiff_t>(head);
    std::nth_element(entries_.begin(), middle, entries_.end(), [&](const Entry& one, const Entry& other) { return before(one, other); });
  }
  std::vector<std::size_t> rows;
  for (std::size_t index = 0; index < std::min(head, entries_.size()); ++index) rows.push_back(entries_[index].row);
  for (const Line& line : lines_) {
    if (line.known) rows.push_back(line.first);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace steelyard::rank
