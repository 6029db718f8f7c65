// A price list as table: columns by name, checked rows, numbers with faults at their place.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/import/csv.hpp"
#include "catalog/import/row.hpp"

namespace steelyard::catalog {

/// Columns of the header line by name; -1 where there is none.
class Columns {
 public:
  explicit Columns(const CsvReader& header);
  int find(std::string_view name) const;
  /// The first column whose name starts so, and that name.
  int find_prefix(std::string_view prefix, std::string& name) const;
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

inline std::string_view field(const CsvReader& csv, int column) { return column < 0 ? std::string_view() : csv[static_cast<std::size_t>(column)]; }
inline int column_at(const CsvReader& csv, int column) { return column < 0 ? 1 : csv.column(static_cast<std::size_t>(column)); }

/// Has the record as many fields as the header? Else the row is a fault.
bool whole_row(const CsvReader& csv, const Columns& columns, OfferSink& sink);

/// A price in a column. Missing: empty. No number, zero, negative, a placeholder: empty, and `why` says so.
std::optional<double> price_at(const CsvReader& csv, int column, const char* name, double gpus, std::string& why);

/// What to do about it.
inline constexpr const char* price_fix = "write the number alone, with a point; leave it empty where it is not known";

/// What people and programs write for yes.
bool says_yes(std::string_view text);

/// A plain number in a column; empty where it is none.
std::optional<double> number_at(const CsvReader& csv, int column);

}  // namespace steelyard::catalog
