#include "explain/sensitivity.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <random>

#include "rank/rank.hpp"
#include "report/forms.hpp"

namespace steelyard::explain {

namespace {

constexpr int draws = 2000;
// An interval is meant to hold nine of ten measured values: low and high lie 1.645 standard deviations of the logarithm from the middle.
constexpr double interval_width = 2 * 1.6448536269514722;

struct Candidate {
  const RankedOffer* ranked = nullptr;
  double cost_of_work = 0;  // USD an hour over the rate
  double spread = 0;        // standard deviation of the logarithm of the rate
  std::size_t board = 0;    // errors of one board go together: its efficiencies are the same
};

double spread_of(const Estimate& estimate) {
  const Value rate = report::throughput(estimate);
  const Value *low = rate.find("low"), *high = rate.find("high");
  if (!low || !high || low->as_number() <= 0 || high->as_number() <= low->as_number()) return 0;
  return std::log(high->as_number() / low->as_number()) / interval_width;
}

std::vector<Candidate> candidates_of(const std::vector<RankedOffer>& ranking, const ExchangeRates& rates, std::size_t& boards) {
  std::vector<Candidate> candidates;
  std::map<const Board*, std::size_t> known;
  const double preference = ranking.front().estimate.preference.value_or(0);
  for (const RankedOffer& ranked : ranking) {
    const double cost = rank::cost_of_work(ranked, rates);
    if (!std::isfinite(cost) || ranked.estimate.preference.value_or(0) != preference || candidates.size() == most_candidates) continue;
    const std::size_t board = known.emplace(ranked.configuration.board, known.size()).first->second;
    candidates.push_back({&ranked, cost, spread_of(ranked.estimate), board});
  }
  boards = known.size();
  return candidates;
}

// The generator and the quantile are fixed by standards, so that every platform draws the same numbers.
double standard_normal(std::mt19937_64& bits) {
  const double uniform = (static_cast<double>(bits() >> 11) + 0.5) * 0x1p-53;
  return boost::math::quantile(boost::math::normal(), uniform);
}

std::vector<std::pair<std::string, double>> shares_of_wins(const std::vector<Candidate>& candidates, std::size_t boards) {
  std::mt19937_64 bits(20240501);  // any fixed seed: the same question has the same answer
  std::vector<int> wins(candidates.size());
  std::vector<double> errors(boards);
  for (int draw = 0; draw < draws; ++draw) {
    for (double& error : errors) error = standard_normal(bits);
    std::size_t first = 0;
    double least = INFINITY;
    for (std::size_t index = 0; index < candidates.size(); ++index) {
      const double cost = candidates[index].cost_of_work * std::exp(-candidates[index].spread * errors[candidates[index].board]);
      if (cost < least) least = cost, first = index;
    }
    ++wins[first];
  }
  std::vector<std::pair<std::string, double>> shares;
  for (std::size_t index = 0; index < candidates.size(); ++index) {
    if (wins[index] > 0) shares.emplace_back(candidates[index].ranked->offer, static_cast<double>(wins[index]) / draws);
  }
  std::stable_sort(shares.begin(), shares.end(), [](const auto& one, const auto& other) { return one.second > other.second; });
  return shares;
}

// The price of an hour at which the winner costs what the next does. Storage and egress stay as they are. Empty where they alone cost more.
std::optional<double> price_limit(const RankedOffer& winner, double hourly, double cost, double next) {
  const auto& parts = winner.estimate.cost_parts;
  const double fixed = parts && parts->total() > 0 ? cost * (parts->storage + parts->egress) / parts->total() : 0;
  return next > fixed ? std::optional(hourly * (next - fixed) / (cost - fixed)) : std::nullopt;
}

}  // namespace

std::optional<Sensitivity> sensitivity(const std::vector<RankedOffer>& ranking, const ExchangeRates& rates) {
  if (ranking.empty() || !std::isfinite(rank::cost_of_work(ranking.front(), rates))) return std::nullopt;
  std::size_t boards = 0;
  const std::vector<Candidate> candidates = candidates_of(ranking, rates, boards);
  Sensitivity result;
  result.draws = draws;
  result.wins = shares_of_wins(candidates, boards);
  const RankedOffer& winner = ranking.front();
  result.price = Money{rank::hourly_usd(winner, rates), "USD"};
  if (candidates.size() < 2) return result;
  // The order is by price over speed: the winner keeps its place until its own is that of the next.
  result.runner_up = candidates[1].ranked->offer;
  if (const auto limit = price_limit(winner, result.price->amount, candidates[0].cost_of_work, candidates[1].cost_of_work))
    result.price_limit = Money{*limit, "USD"};
  return result;
}

}  // namespace steelyard::explain
