// Readers of what users state: workloads, configurations, amounts, durations.
#pragma once

#include <steelyard/catalog.hpp>
#include <steelyard/workload.hpp>

#include "load/fields.hpp"

namespace steelyard::catalog {

Loaded<Workload> load_workload(const load::Document& document, const Catalog& catalog);
Loaded<Configuration> load_configuration(const load::Document& document, const Catalog& catalog);
/// A configuration inside another document (an offer, a request line).
Loaded<Configuration> load_configuration(const load::Document& document, const load::Node& node, const Catalog& catalog);
Loaded<Workload> load_workload(const load::Document& document, const load::Node& node, const Catalog& catalog);

/// A number above zero, or an issue.
std::optional<double> positive(load::Fields& fields, const std::string& key, double most = 1e18);
/// A count of at least one; `auto` is empty.
std::optional<int> count_or_auto(load::Fields& fields, const std::string& key);
/// A word of the list; `auto` is empty.
std::string word_or_auto(load::Fields& fields, const std::string& key, const std::vector<std::string>& allowed);
/// "500000 CNY" or {amount: 500000, currency: CNY}.
std::optional<Money> read_money(load::Fields& fields, const std::string& key, const ExchangeRates& rates);
/// "90 d", "36 h": hours.
std::optional<double> read_hours(load::Fields& fields, const std::string& key);
/// The price of a configuration or an offer.
std::optional<Price> read_price(load::Fields& fields, const std::string& key, const ExchangeRates& rates);
/// What a price states beyond its amount; null where it states nothing.
std::shared_ptr<const PriceTerms> read_price_terms(load::Fields& price);
/// The terms of a price over those that hold for all prices of its file.
std::shared_ptr<const PriceTerms> with_defaults(const std::shared_ptr<const PriceTerms>& own, const std::shared_ptr<const PriceTerms>& all);
/// A model by name, or written out, or a named one with some facts changed. `name` gets what was written.
std::optional<Model> read_model(load::Fields& fields, const std::string& key, const Catalog& catalog, std::string& name);
/// The board of a name; ambiguous, unknown and doubtful names are warnings at the key.
const Board* read_board(load::Fields& fields, const std::string& key, const std::string& name, const Catalog& catalog);

}  // namespace steelyard::catalog
