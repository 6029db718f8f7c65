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
    read.bid_floor_usd_per_gpu = fields.required_number("bid_floor_usd_per_gpu");
    read.least_memory_share = fields.required_number("least_memory_share");
    return read;
  }();
  return facts;
}

bool is_placeholder(double price) {
  const auto& known = price_facts().placeholders;
  return std::find(known.begin(), known.end(), price) != known.end();
}

}  // namespace steelyard::catalog
