// The order of many accepted offers, without an answer for each.
#pragma once

#include <cstdint>
#include <steelyard/money.hpp>
#include <vector>

#include "rank/bulk.hpp"

namespace steelyard::rank {

class Order {
 public:
  Order(const Bulk& bulk, const OfferList& offers, const ExchangeRates& rates)
      : bulk_(bulk), offers_(offers), rates_(rates), lines_(bulk.outcomes().size()) {}

  /// An accepted offer.
  void add(std::size_t row);
  std::size_t size() const { return entries_.size(); }

  /// The offers that `sort_ranking` puts first, and of each kind of machine and node count the first one; rising rows, each once.
  std::vector<std::size_t> head_and_firsts(std::size_t head);

 private:
  // Figures of one outcome: all grow with the price and, where it has no terms, are proportional to it.
  struct Line {
    bool known = false;
    double preference = 0;
    double units = 1, usd = 0, rate = 0;  // of the price; USD for one of its currency; main rate of the work
    double cost = 0, unit_cost = 0;       // USD for each unit of the amount
    bool terms = false;                   // of the price: costs have parts that do not grow with the amount
    std::uint32_t first = 0;              // its first row
  };
  struct Entry {
    double preference, cost_of_work;
    std::uint32_t row;
  };
  Line line_of(std::size_t row) const;
  double cost_of_work(std::size_t row, const Line& line) const;
  double cost_of(std::size_t row, const Line& line) const;
  bool before(const Entry& one, const Entry& other) const;
  const Line& line(std::uint32_t row) const { return lines_[bulk_.outcome_number(row)]; }

  const Bulk& bulk_;
  const OfferList& offers_;
  const ExchangeRates& rates_;
  std::vector<Line> lines_;  // by outcome
  std::vector<Entry> entries_;
};

}  // namespace steelyard::rank
