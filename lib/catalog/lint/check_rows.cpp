#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "catalog/import/formats.hpp"
#include "catalog/lint/checks.hpp"
#include "catalog/lint/lint_facts.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

void check_repeats(const PriceList& list, Report& report) {
  std::unordered_map<std::string_view, int> seen;
  for (const PriceLine& line : list.lines) {
    const auto [first, added] = seen.try_emplace(line.raw, line.line);
    if (!added) report.add("duplicate_row", line.line, "the row stands above already, in line " + std::to_string(first->second), "remove it");
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
  for (const auto& [line, message] : list.broken) report.add("row_unreadable", line, message, "put fields with a comma in quotes");
  check_repeats(list, report);
  check_split(list, report);
  check_network(list, report);
}

}  // namespace steelyard::catalog
