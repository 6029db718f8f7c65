#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "catalog/import/csv.hpp"
#include "catalog/import/formats.hpp"
#include "catalog/lint/checks.hpp"
#include "catalog/lint/lint_facts.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

/// What a row says, however it is quoted, spaced and its numbers are written.
void write_content(std::string_view row, std::string& content) {
  content.clear();
  CsvReader csv(row);
  if (!csv.next()) return;
  for (std::size_t index = 0; index < csv.size(); ++index) {
    const std::string_view text = trim(csv[index]);
    const auto number = parse_number(text);
    content.append(number ? format_number(*number) : std::string(text)).push_back('\x1f');
  }
}

void check_repeats(const PriceList& list, Report& report) {
  std::unordered_map<std::size_t, const PriceLine*> seen;  // by the hash of the content: a list of a million rows stays small
  std::string content, other;
  for (const PriceLine& line : list.lines) {
    write_content(line.raw, content);
    const auto [first, added] = seen.try_emplace(std::hash<std::string>()(content), &line);
    if (added) continue;
    write_content(first->second->raw, other);
    if (content == other)
      report.add("duplicate_row", line.line, "the row stands above already, in line " + std::to_string(first->second->line), "remove it");
  }
}

/// Hosts whose GPUs are priced in rows of their own.
void check_split(const PriceList& list, Report& report) {
  if (list.format != "skypilot") return;
  std::unordered_set<std::string> gpu_places;
  for (const PriceLine& line : list.lines) {
    if (line.type.empty() && !line.gpu.empty() && !line.gpu.starts_with("tpu-")) gpu_places.insert(std::string(line.region));
  }
  for (const PriceLine& line : list.lines) {
    const bool host = !line.type.empty() && line.gpu.empty() && line.machine && line.machine->gpus;
    if (!host) continue;
    const bool beside = gpu_places.contains(std::string(line.region));
    report.add("split_price", line.line,
               "the price of " + std::string(line.type) + " without its " + format_number(*line.machine->gpus) + " GPUs" +
                   (beside ? ", which have rows of their own in this region" : ", and no row of this region has theirs"),
               "add the price of the GPUs");
  }
}

void check_network(const PriceList& list, Report& report) {
  if (!list.has_network) return;
  for (const PriceLine& line : list.lines) {
    if (!line.network_gbit_per_s || *line.network_gbit_per_s < lint_facts().headline_gbit_per_s) continue;
    report.add("network_headline", line.line,
               format_number(*line.network_gbit_per_s) + " Gbit/s sum all cards of the machine, the fabric's included: no figure per GPU");
  }
}

}  // namespace

void check_rows(const PriceList& list, Report& report) {
  if (list.lines.empty() && list.broken.empty()) report.add("no_rows", 1, "a header and no row below it", "export the list again, with its rows");
  for (const PriceList::Broken& row : list.broken) report.add("row_unreadable", row.line, row.message, row.fix);
  check_repeats(list, report);
  check_split(list, report);
  check_network(list, report);
}

}  // namespace steelyard::catalog
