#include "catalog/import/price_facts.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "load/embedded.hpp"
#include "load/fields.hpp"

namespace steelyard::catalog {

const PriceFacts& price_facts() {
  static const PriceFacts facts = [] {
    const load::Document document = load::embedded_document("data/schema/prices.yaml");
    Issues issues;
    load::Fields fields(document, document.root, issues, "price facts");
    PriceFacts read;
    for (const std::string& text : fields.texts("placeholder_prices")) read.placeholders.push_back(parse_number(text).value_or(0));
    read.placeholder_least_usd_per_gpu = fields.required_number("placeholder_least_usd_per_gpu");
    read.bid_floor_chips = fields.texts("bid_floor_chips");
    read.bid_floor_usd_per_gpu = fields.required_number("bid_floor_usd_per_gpu");
    read.least_memory_share = fields.required_number("least_memory_share");
    return read;
  }();
  return facts;
}

bool is_placeholder(double price, double gpus) {
  const auto& known = price_facts().placeholders;
  return price >= price_facts().placeholder_least_usd_per_gpu * gpus && std::find(known.begin(), known.end(), price) != known.end();
}

bool is_bid_floor(double price, double gpus, const std::vector<const Board*>& boards) {
  const auto& chips = price_facts().bid_floor_chips;
  const auto dear = [&](const Board* board) { return std::find(chips.begin(), chips.end(), board->chip) != chips.end(); };
  return price == price_facts().bid_floor_usd_per_gpu * gpus && !boards.empty() && std::all_of(boards.begin(), boards.end(), dear);
}

}  // namespace steelyard::catalog
