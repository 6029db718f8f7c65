#include <algorithm>
#include <cctype>

#include "catalog/inputs.hpp"
#include "catalog/sources.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

using load::Fields;
using load::Node;

std::optional<double> positive(Fields& fields, const std::string& key, double most) {
  const auto value = fields.number(key);
  if (!value || (*value > 0 && *value <= most)) return value;
  const std::string range = *value > 0 ? "a number above 0 and up to " + format_number(most) : "a number above 0";
  fields.fault(key, key + ": expected " + range + ", found " + format_number(*value),
               "correct the figure, or leave the key out where it is not known");
  return std::nullopt;
}

namespace {

bool is_auto(Fields& fields, const std::string& key) {
  const Node* node = fields.node(key);
  return node && node->kind == Node::Kind::scalar && node->text == "auto";
}

/// "500000 CNY": the number and the word behind it.
std::pair<std::string, std::string> number_and_word(const std::string& text) {
  const std::size_t split_at = std::min(text.find_first_not_of("+-.,0123456789eE"), text.size());
  std::size_t end = split_at;
  while (end > 0 && std::isalpha(static_cast<unsigned char>(text[end - 1]))) --end;  // "5EUR": the E is no exponent
  return {std::string(trim(text.substr(0, end))), std::string(trim(text.substr(end)))};
}

/// "eur" is EUR: codes have no other meaning in small letters.
std::string currency_code(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

bool known_currency(Fields& fields, const std::string& key, const std::string& currency, const ExchangeRates& rates) {
  if (currency == "USD" || rates.usd_per_unit.contains(currency)) return true;
  std::vector<std::string> known = {"USD"};
  for (const auto& [code, rate] : rates.usd_per_unit) known.push_back(code);
  fields.fault(key, key + ": unknown currency '" + currency + "'", "use one of " + join(known, ", "));
  return false;
}

std::optional<Money> money_map(Fields& fields, const std::string& key, const Node& node, const ExchangeRates& rates) {
  Fields money(fields.document(), node, fields.issues(), key);
  const auto amount = positive(money, "amount");
  const std::string currency = currency_code(money.required_text("currency"));
  if (!money.has("amount")) money.fault("amount", key + ": amount is missing", "add amount: <number>");
  money.finish();
  if (!amount || currency.empty() || !known_currency(fields, key, currency, rates)) return std::nullopt;
  return Money{*amount, currency};
}

}  // namespace

std::optional<int> count_or_auto(Fields& fields, const std::string& key) { return is_auto(fields, key) ? std::nullopt : fields.integer(key, 1); }

std::string word_or_auto(Fields& fields, const std::string& key, const std::vector<std::string>& allowed) {
  return is_auto(fields, key) ? std::string() : fields.word(key, allowed).value_or("");
}

std::optional<Money> read_money(Fields& fields, const std::string& key, const ExchangeRates& rates) {
  const Node* node = fields.node(key);
  if (!node) return std::nullopt;
  if (node->kind == Node::Kind::map) return money_map(fields, key, *node, rates);
  const auto text = fields.text(key);
  if (!text) return std::nullopt;
  const auto [digits, word] = number_and_word(*text);
  const std::string currency = currency_code(word);
  const auto amount = parse_number(digits);
  if (!amount) {
    fields.fault(key, key + ": expected an amount with its currency, found '" + *text + "'", "write it as 500000 CNY, without separators");
    return std::nullopt;
  }
  if (*amount <= 0) {
    fields.fault(key, key + ": expected an amount above 0, found '" + *text + "'",
                 "correct the amount, or leave " + key + " out where there is no limit");
    return std::nullopt;
  }
  if (currency.empty()) {
    fields.fault(key, key + ": the currency is missing in '" + *text + "'", "write it as " + digits + " USD");
    return std::nullopt;
  }
  if (!known_currency(fields, key, currency, rates)) return std::nullopt;
  return Money{*amount, currency};
}

std::optional<double> read_hours(Fields& fields, const std::string& key) {
  const auto text = fields.text(key);
  if (!text) return std::nullopt;
  const auto [digits, unit] = number_and_word(*text);
  const auto amount = parse_number(digits);
  const double hours = unit == "h" || unit == "hours" ? 1 : unit == "d" || unit == "days" ? 24 : 0;
  if (amount && *amount > 0 && hours > 0) return *amount * hours;
  fields.fault(key, key + ": expected a time in hours or days, found '" + *text + "'", "write it as 36 h or 90 d");
  return std::nullopt;
}

std::optional<Price> read_price(Fields& fields, const std::string& key, const ExchangeRates& rates) {
  const Node* node = fields.node(key);
  if (!node) return std::nullopt;
  Fields price(fields.document(), *node, fields.issues(), key);
  Price read;
  const auto amount = positive(price, "amount");
  if (node->kind == Node::Kind::map && !price.has("amount")) price.fault("amount", key + ": amount is missing", "add amount: <number>");
  if (const auto text = price.text("currency")) {
    const std::string currency = currency_code(*text);
    if (known_currency(price, "currency", currency, rates)) read.currency = currency;
  }
  read.per = price.word("per", {"node_hour", "gpu_hour"}).value_or(read.per);
  read.purchase = price.word("purchase", {"on_demand", "spot", "reserved"}).value_or(read.purchase);
  read.date = read_date(price, "date");
  read.terms = read_price_terms(price);
  price.finish();
  if (!amount) return std::nullopt;
  read.amount = *amount;
  return read;
}

const Board* read_board(Fields& fields, const std::string& key, const std::string& name, const Catalog& catalog) {
  const NameMatch<Board> match = catalog.find_board(name);
  if (!match.warning.empty()) fields.fault(key, match.warning, {}, Severity::warning);
  if (match.resolved()) return match.resolved();
  std::vector<std::string> ids;
  for (const Board* board : match.candidates) ids.push_back(board->id);
  if (ids.empty()) {
    fields.fault(key, key + ": no board is known as '" + name + "'", match.nearest.empty() ? "" : "did you mean " + join(match.nearest, ", ") + "?",
                 Severity::warning);
  } else {
    fields.fault(key, key + ": '" + name + "' fits several boards: " + join(ids, ", "), "name the form factor and the memory", Severity::warning);
  }
  return nullptr;
}

}  // namespace steelyard::catalog
