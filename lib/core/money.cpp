#include <steelyard/money.hpp>

namespace steelyard {

std::optional<Money> ExchangeRates::convert(const Money& money, const std::string& currency) const {
  if (money.currency == currency) return money;
  const auto from = usd_per_unit.find(money.currency);
  const auto to = usd_per_unit.find(currency);
  const auto rate = [&](const std::string& code, auto found) -> std::optional<double> {
    if (code == "USD") return 1.0;
    return found == usd_per_unit.end() ? std::nullopt : std::optional(found->second);
  };
  const auto one = rate(money.currency, from), other = rate(currency, to);
  if (!one || !other) return std::nullopt;
  return Money{money.amount * *one / *other, currency};
}

}  // namespace steelyard
