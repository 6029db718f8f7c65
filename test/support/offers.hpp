// Accepted offers with a price and a speed, made by hand.
#pragma once

#include <steelyard/decision.hpp>
#include <string>

namespace steelyard::test {

inline const ExchangeRates rates{{2026, 11, 1}, "test", {{"CNY", 0.14}}};

inline RankedOffer offer(const std::string& id, double price, double tokens_per_s, double tokens = 1e9, int gpus = 8) {
  RankedOffer ranked;
  ranked.offer = id;
  ranked.configuration.gpus_per_node = gpus;
  ranked.configuration.price = Price{price, "USD", "node_hour", "on_demand", {}};
  ranked.estimate.verdict = "accept";
  ranked.estimate.time.tokens_per_s = tokens_per_s;
  ranked.estimate.time_h = tokens / tokens_per_s / 3600;
  ranked.estimate.cost = Money{price * *ranked.estimate.time_h, "USD"};
  return ranked;
}

}  // namespace steelyard::test
