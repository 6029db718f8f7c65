#include "csv.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/text.hpp"

namespace steelyard::fit {

const std::string& Record::text(std::string_view column) const {
  static const std::string empty;
  const auto found = columns_->find(column);
  return found == columns_->end() ? empty : cells_[found->second];
}

std::optional<double> Record::number(std::string_view column) const { return parse_number(text(column)); }

int Record::whole(std::string_view column, int otherwise) const {
  const std::optional<double> value = number(column);
  return value ? static_cast<int>(*value) : otherwise;
}

namespace {

/// The cells of one record; `at` moves behind its line end.
std::vector<std::string> read_record(std::string_view text, std::size_t& at) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '"' && at + 1 < text.size() && text[at + 1] == '"')
      cells.back() += text[++at];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      cells.emplace_back();
    else if (!quoted && c == '\n')
      break;
    else if (quoted || c != '\r')
      cells.back() += c;
  }
  ++at;
  return cells;
}

}  // namespace

void parse_csv(std::string_view text, Table& out) {
  std::size_t at = 0;
  const std::vector<std::string> header = read_record(text, at);
  for (std::size_t column = 0; column < header.size(); ++column) out.columns.emplace(header[column], column);
  for (int record = 2; at < text.size(); ++record) {
    std::vector<std::string> cells = read_record(text, at);
    if (cells.size() != header.size())
      throw std::runtime_error(out.name + ": record " + std::to_string(record) + " has " + std::to_string(cells.size()) + " cells, the header " +
                               std::to_string(header.size()));
    out.records.emplace_back(out.columns, std::move(cells));
  }
}

void read_csv(const std::string& folder, const std::string& name, Table& out) {
  std::ifstream file(folder + "/" + name + ".csv", std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + folder + "/" + name + ".csv");
  std::ostringstream text;
  text << file.rdbuf();
  out.name = name;
  parse_csv(text.str(), out);
}

}  // namespace steelyard::fit
