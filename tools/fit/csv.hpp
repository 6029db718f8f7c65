// Reads the tables of measured rows (comma-separated, RFC 4180 quotes, header line).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::fit {

/// One line of a table by column name. A column that the table lacks reads as empty.
class Record {
 public:
  Record(const std::map<std::string, std::size_t, std::less<>>& columns, std::vector<std::string> cells)
      : columns_(&columns), cells_(std::move(cells)) {}

  const std::string& text(std::string_view column) const;
  std::optional<double> number(std::string_view column) const;
  /// A whole number, or `otherwise` where the cell is empty.
  int whole(std::string_view column, int otherwise) const;

 private:
  const std::map<std::string, std::size_t, std::less<>>* columns_;
  std::vector<std::string> cells_;
};

struct Table {
  std::string name;  // the file's stem
  std::map<std::string, std::size_t, std::less<>> columns;
  std::vector<Record> records;

  Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  Table(Table&&) = delete;
};

/// Parses a text. Lines of another width than the header are a std::runtime_error that names the line.
void parse_csv(std::string_view text, Table& out);
/// Reads FOLDER/NAME.csv; a missing file is a std::runtime_error.
void read_csv(const std::string& folder, const std::string& name, Table& out);

}  // namespace steelyard::fit
