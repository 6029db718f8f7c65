// nvidia-smi --query-gpu=... --format=csv: the first line, or the command above the rows, names the columns.
#include <algorithm>

#include "core/text.hpp"
#include "evidence/read/readers.hpp"
#include "evidence/read/scan.hpp"

namespace steelyard::evidence {

namespace {

std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> found;
  for (const std::string& cell : split(line, ',')) found.emplace_back(trim(cell));
  return found;
}

/// "pcie.link.gen.current" and the heading's "pcie.link.gen.gpucurrent"; units in brackets go.
std::string column_name(std::string_view cell) {
  std::string name(trim(before(cell, "[")));
  if (const std::size_t at = name.find("gpucurrent"); at != std::string::npos) name.erase(at, 3);
  return name;
}

/// Column names of "nvidia-smi --query-gpu=a,b,c --format=csv" or of the heading "index, name, ...".
std::vector<std::string> columns_of(std::string_view line) {
  std::vector<std::string> names;
  std::string_view list;
  if (const auto query = after(line, "--query-gpu="))
    list = before(*query, " ");
  else if (contains(line, ", ") && (contains(line, "index") || contains(line, "name")) &&
           (contains(line, ".") || contains(line, "uuid") || contains(line, "[MiB]")))
    list = line;
  else
    return {};
  for (const std::string& cell : cells(list)) {
    const std::string name = column_name(cell);
    if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._") != std::string::npos) return {};
    names.push_back(name);
  }
  return names;
}

struct Query {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  int first = 0, last = 0;
  bool ended = false;
  bool cut = false;  // the last row has fewer cells than there are columns

  std::vector<std::string> values(std::string_view column) const {
    std::vector<std::string> found;
    const auto at = std::find(columns.begin(), columns.end(), column);
    if (at == columns.end()) return found;
    for (const auto& row : rows) found.push_back(row[static_cast<std::size_t>(at - columns.begin())]);
    return found;
  }
};

void set_extreme(const Query& query, std::string_view column, bool largest, std::string_view key, Value& facts) {
  std::optional<std::int64_t> best;
  for (const std::string& value : query.values(column)) {
    const auto count = leading_integer(value);
    if (count && (!best || (largest ? *count > *best : *count < *best))) best = count;
  }
  set(facts, key, best);
}

void set_first(const Query& query, std::string_view column, std::string_view key, Value& facts) {
  const std::vector<std::string> values = query.values(column);
  if (!values.empty() && !starts_with(values.front(), "[")) set_text(facts, key, values.front());
}

/// The heading below a command line that asked for the same columns.
bool repeats_columns(const Query& query, const std::vector<std::string>& row) {
  return row.size() == query.columns.size() && std::equal(row.begin(), row.end(), query.columns.begin(),
                                                          [](const std::string& cell, const std::string& name) { return column_name(cell) == name; });
}

Value facts_of(const Query& query) {
  Value facts = Value::map();
  facts["gpus"] = query.rows.size();
  for (const std::string_view column : {"name", "gpu_name"}) set_first(query, column, "gpu", facts);
  set_first(query, "driver_version", "driver", facts);
  if (const std::vector<std::string> modes = query.values("mig.mode.current"); !modes.empty() && !starts_with(modes.front(), "["))
    facts["mig"] = std::find(modes.begin(), modes.end(), "Enabled") != modes.end();
  set_first(query, "compute_mode", "compute_mode", facts);
  set_extreme(query, "memory.total", true, "memory_mib", facts);
  set_extreme(query, "pcie.link.gen.current", false, "pcie_gen", facts);
  set_extreme(query, "pcie.link.gen.max", true, "pcie_gen_max", facts);
  set_extreme(query, "pcie.link.width.current", false, "pcie_width", facts);
  set_extreme(query, "pcie.link.width.max", true, "pcie_width_max", facts);
  set_extreme(query, "power.limit", false, "power_limit_w", facts);
  set_extreme(query, "power.default_limit", true, "power_default_w", facts);
  set_extreme(query, "temperature.gpu", true, "temperature_max_c", facts);
  set_extreme(query, "ecc.errors.uncorrected.volatile.total", true, "ecc_uncorrected", facts);
  return facts;
}

}  // namespace

Records read_nvidia_smi_query(const Paste& paste) {
  Query query;
  bool blank = false;  // above this line
  for (const Line& line : paste.lines) {
    const std::vector<std::string> columns = columns_of(trim(line.text));
    if (columns.size() >= 2 && query.rows.empty()) {
      query.columns = columns;
      query.first = query.last = line.number;
      continue;
    }
    if (query.columns.empty() || query.ended) continue;
    if (trim(line.text).empty()) {
      blank = true;
      continue;
    }
    std::vector<std::string> row = cells(trim(line.text));
    if (query.rows.empty() && repeats_columns(query, row)) continue;
    const bool whole = row.size() == query.columns.size() && !row.back().empty();
    if (!whole && !query.rows.empty()) {  // rows stand together; the last line of the text may be a part of one
      query.ended = true;
      query.cut = !blank && row.size() <= query.columns.size() && !row.front().empty() && &line == &paste.lines.back();
    }
    if (!whole) continue;
    blank = false;
    query.rows.push_back(std::move(row));
    query.last = line.number;
  }
  if (query.rows.empty()) return {};
  ToolRecord record;
  record.tool = "nvidia-smi";
  record.subject = "gpus";
  record.facts = facts_of(query);
  record.first_line = query.first;
  record.last_line = query.last;
  record.complete = !query.cut && !paste.elided_between(query.first, query.last + 1);
  return {record};
}

}  // namespace steelyard::evidence
