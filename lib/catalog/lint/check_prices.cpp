#include <algorithm>
#include <cmath>
#include <map>

#include "catalog/import/price_facts.hpp"
#include "catalog/lint/checks.hpp"
#include "catalog/lint/lint_facts.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

bool same(double one, double other) { return std::abs(one - other) <= 1e-6 * std::abs(other); }

/// A figure that nobody would pay, or none at all. A slice of TPUs has its chips in its name, not in its count.
bool is_sentinel(const PriceLine& line, const std::optional<double>& price) {
  if (!price) return false;
  const double gpus = std::max(1.0, line.count.value_or(1));
  return *price < 0 || is_placeholder(*price, gpus) || (!line.gpu.starts_with("tpu-") && *price >= lint_facts().most_usd_per_gpu * gpus);
}

/// "N/A", "null", "-": words for an empty field.
bool says_nothing(std::string_view text) {
  const auto& words = lint_facts().words_for_nothing;
  return text.empty() || std::find(words.begin(), words.end(), to_lower(text)) != words.end();
}

void check_values(const PriceList& list, const PriceLine& line, Report& report) {
  bool unreadable = false;
  for (const auto& [price, text] : {std::pair(line.price, line.price_text), std::pair(line.spot, line.spot_text)}) {
    if (price || says_nothing(text)) continue;
    unreadable = true;
    report.add("price_unreadable", line.line, "expected a price, found '" + std::string(text.substr(0, 40)) + "'",
               "write the number alone, such as 20.5; leave it empty where it is not known");
  }
  const bool missing = !line.price && !line.spot;
  if (missing && unreadable) return;
  if (missing) {
    return report.add("price_missing", line.line, list.has_spot ? "neither an on-demand nor a spot price" : "the price is missing",
                      "add the price, or leave the row out");
  }
  if (line.price && *line.price == 0) report.add("price_zero", line.line, "0 is no price", "leave the price empty where it is not known");
  if (line.price != 0.0 && line.spot == 0.0) report.add("price_zero", line.line, "0 is no spot price", "leave it empty where it is not known");
  for (const auto& [price, name] : {std::pair(line.price, "price"), std::pair(line.spot, "spot price")}) {
    if (is_sentinel(line, price))
      report.add("price_sentinel", line.line, std::string(name) + " " + format_number(*price) + " stands for \"no price\"", "leave it empty");
  }
}

void check_spot(const PriceLine& line, Report& report) {
  if (!line.price || !line.spot || *line.price <= 0 || *line.spot <= 0) return;
  if (same(*line.spot, *line.price)) {
    report.add("spot_equals_on_demand", line.line, "spot and on-demand price are both " + format_number(*line.price));
    if (is_bid_floor(*line.price, line.count.value_or(1), line.boards.candidates)) {
      report.add("price_bid_floor", line.line, format_number(*line.price) + " is the lowest possible bid, not a price",
                 "leave it empty, or give a price that was paid");
    }
  } else if (*line.spot > *line.price) {
    report.add("spot_above_on_demand", line.line, "spot " + format_number(*line.spot) + " is dearer than on-demand " + format_number(*line.price));
  }
}

/// Purchase kinds in rows of their own: spot against on-demand of the same machine and place.
void check_spot_rows(const PriceList& list, Report& report) {
  std::map<std::pair<std::string_view, std::string_view>, double> on_demand;
  for (const PriceLine& line : list.lines) {
    if (!line.spot_row && line.price && *line.price > 0) on_demand.try_emplace({line.type, line.zone}, *line.price);
  }
  for (const PriceLine& line : list.lines) {
    if (!line.spot_row || !line.price) continue;
    const auto found = on_demand.find({line.type, line.zone});
    if (found == on_demand.end()) continue;
    if (same(*line.price, found->second)) {
      report.add("spot_equals_on_demand", line.line, "spot and on-demand price are both " + format_number(*line.price));
    } else if (*line.price > found->second) {
      report.add("spot_above_on_demand", line.line,
                 "spot " + format_number(*line.price) + " is dearer than on-demand " + format_number(found->second));
    }
  }
}

}  // namespace

void check_prices(const PriceList& list, const Date& today, Report& report) {
  if (!list.has_prices) return;
  const int most_days = lint_facts().stale_after_days;
  if (list.date && days_between(*list.date, today) > most_days) {
    report.add("price_stale", 1,
               "the prices are of " + to_string(*list.date) + ", " + std::to_string(days_between(*list.date, today)) + " days before " +
                   to_string(today) + "; more than " + std::to_string(most_days) + " is old",
               "take newer prices");
  }
  for (const PriceLine& line : list.lines) {
    check_values(list, line, report);
    check_spot(line, report);
  }
  check_spot_rows(list, report);
}

}  // namespace steelyard::catalog
