// Amounts of money and their exchange.
#pragma once

#include <map>
#include <optional>
#include <steelyard/date.hpp>
#include <string>

namespace steelyard {

/// An amount in a currency (ISO 4217 code).
struct Money {
  double amount = 0;
  std::string currency = "USD";

  friend bool operator==(const Money&, const Money&) = default;
};

/// Exchange rates of one day: how many US dollars one unit of a currency buys.
struct ExchangeRates {
  Date date;
  std::string source;
  std::map<std::string, double> usd_per_unit;

  /// The amount in another currency; empty where a rate is missing.
  std::optional<Money> convert(const Money& money, const std::string& currency) const;
};

}  // namespace steelyard
