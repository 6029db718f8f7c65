#include "catalog/import/table.hpp"

#include <algorithm>

#include "catalog/import/price_facts.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

Columns::Columns(const CsvReader& header) {
  for (std::size_t index = 0; index < header.size(); ++index) names_.emplace_back(trim(header[index]));
}

int Columns::find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
}

int Columns::find_prefix(std::string_view prefix, std::string& name) const {
  const auto found = std::find_if(names_.begin(), names_.end(), [&](const std::string& column) { return column.starts_with(prefix); });
  if (found == names_.end()) return -1;
  name = *found;
  return static_cast<int>(found - names_.begin());
}

bool whole_row(const CsvReader& csv, const Columns& columns, OfferSink& sink) {
  if (csv.unclosed()) {
    sink.fault(csv.line(), 1, "a quote is opened and never closed", "close it; a quote inside a field is doubled");
    return false;
  }
  if (csv.size() == columns.size()) return true;
  sink.fault(csv.line(), csv.column(std::min(csv.size(), columns.size()) - 1),
             "expected " + std::to_string(columns.size()) + " columns, found " + std::to_string(csv.size()), "put fields with a comma in quotes");
  return false;
}

std::optional<double> price_at(const CsvReader& csv, int column, const char* name, double gpus, std::string& why) {
  const std::string_view text = trim(field(csv, column));
  if (text.empty()) return std::nullopt;
  const auto price = parse_number(text);
  if (!price || *price < 0) {
    why = std::string(name) + ": expected a price, found '" + std::string(text.substr(0, 60)) + "'";
  } else if (*price == 0) {
    why = std::string(name) + ": 0 is no price";
  } else if (is_placeholder(*price, gpus)) {
    why = std::string(name) + ": " + std::string(text) + " stands for \"no price\"";
  } else {
    return price;
  }
  return std::nullopt;
}

bool says_yes(std::string_view text) {
  const std::string word = to_lower(trim(text));
  return word == "true" || word == "1" || word == "yes" || word == "t" || word == "y";
}

std::optional<double> number_at(const CsvReader& csv, int column) { return parse_number(trim(field(csv, column))); }

}  // namespace steelyard::catalog
