// Figures in price columns that are no prices (data/schema/prices.yaml).
#pragma once

#include <vector>

namespace steelyard::catalog {

struct PriceFacts {
  std::vector<double> placeholders;   // figures that stand for "no price"
  double bid_floor_usd_per_gpu = 0;   // lowest possible bid, published as price
  double least_memory_share = 0;      // below this share of the board's memory a row sells a part of it
};

const PriceFacts& price_facts();
bool is_placeholder(double price);

}  // namespace steelyard::catalog
