#include "catalog/loaders.hpp"
#include "catalog/sources.hpp"

namespace steelyard::catalog {

Loaded<ExchangeRates> load_rates(const load::Document& document) {
  Loaded<ExchangeRates> loaded{ExchangeRates(), {}};
  load::Fields file(document, document.root, loaded.issues, "currency file");
  loaded.value->date = read_date(file, "date").value_or(Date{});
  if (!file.has("date")) file.fault("date", "currency file: date is missing", "add the day of the rates");
  loaded.value->source = file.required_text("source");
  if (const load::Node* table = file.node("usd_per_unit")) {
    load::Fields rates(document, *table, loaded.issues, "usd_per_unit");
    for (const load::Entry& entry : table->entries) {
      if (const auto rate = rates.number(entry.key, 1e-9, 1e6)) loaded.value->usd_per_unit[entry.key] = *rate;
    }
  } else {
    file.fault("usd_per_unit", "currency file: usd_per_unit is missing", "add a map such as CNY: 0.14");
  }
  file.finish();
  if (has_errors(loaded.issues)) loaded.value.reset();
  return loaded;
}

}  // namespace steelyard::catalog
