// Figures in price columns that are no prices (data/schema/prices.yaml).
#pragma once

#include <steelyard/board.hpp>
#include <string>
#include <vector>

namespace steelyard::catalog {

struct PriceFacts {
  std::vector<double> placeholders;          // figures that stand for "no price"
  double placeholder_least_usd_per_gpu = 0;  // below that a figure is taken for a price, whatever it looks like
  double bid_floor_usd_per_gpu = 0;          // lowest possible bid, published as price
  std::vector<std::string> bid_floor_chips;  // chips that nobody rents out for so little
  double least_memory_share = 0;             // below this share of the board's memory a row sells a part of it
};

const PriceFacts& price_facts();
bool is_placeholder(double price, double gpus);
bool is_bid_floor(double price, double gpus, const std::vector<const Board*>& boards);

}  // namespace steelyard::catalog
