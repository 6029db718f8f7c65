#include <algorithm>
#include <map>

#include "catalog/import/formats.hpp"
#include "catalog/lint/checks.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

namespace {

/// 1: nowhere worse in memory, bandwidth and every rate that the other has, and somewhere better; 0: the same board; -1: else, or not known.
int compare_boards(const Board& one, const Board& other) {
  if (&one == &other) return 0;
  if (!one.memory_bandwidth_gb_per_s || !other.memory_bandwidth_gb_per_s || other.dense_tflops.empty()) return -1;
  bool better = *one.memory_bandwidth_gb_per_s > *other.memory_bandwidth_gb_per_s || one.memory_gb_nominal > other.memory_gb_nominal;
  if (*one.memory_bandwidth_gb_per_s < *other.memory_bandwidth_gb_per_s || one.memory_gb_nominal < other.memory_gb_nominal) return -1;
  for (const auto& [format, rate] : other.dense_tflops) {
    const auto mine = dense_peak_tflops(one, format);
    if (!mine || *mine < rate) return -1;
    better = better || *mine > rate;
  }
  return better ? 1 : -1;
}

bool is_rdma(const InterNode& network) { return network.kind == "infiniband" || network.kind == "roce"; }

/// The same scale. What is not known can't be compared, but for RDMA against none.
int compare_networks(const InterNode& one, const InterNode& other) {
  if (one.kind.empty() || other.kind.empty()) return -1;
  if (one == other) return 0;
  if (is_rdma(one) && (other.kind == "ethernet" || other.kind == "none")) return 1;
  if (!one.gbit_per_s_per_node || !other.gbit_per_s_per_node) return -1;
  if (is_rdma(other) && !is_rdma(one)) return -1;
  if (*one.gbit_per_s_per_node == *other.gbit_per_s_per_node) return 0;
  return *one.gbit_per_s_per_node > *other.gbit_per_s_per_node ? 1 : -1;
}

/// Costs no more, is nowhere worse and somewhere better.
bool dominates(const Offer& one, const Offer& other) {
  const Configuration &mine = one.configuration, &its = other.configuration;
  if (mine.price->amount > its.price->amount || mine.gpus_per_node < its.gpus_per_node) return false;
  const int board = compare_boards(*mine.board, *its.board), network = compare_networks(mine.inter_node, its.inter_node);
  if (board < 0 || network < 0) return false;
  const bool links = mine.intra_node == its.intra_node || mine.intra_node == "nvlink" || its.gpus_per_node == 1;
  return links && (board > 0 || network > 0 || mine.gpus_per_node > its.gpus_per_node);
}

// Cheapest first.
void report_dominated(const std::vector<Offer>& offers, Report& report) {
  for (const Offer& offer : offers) {
    const auto better = std::find_if(offers.begin(), offers.end(), [&](const Offer& other) { return &other != &offer && dominates(other, offer); });
    if (better == offers.end()) continue;
    report.add("dominated_offer", offer.where.line,
               offer.machine_type + " at " + format_number(offer.configuration.price->amount) + ": " + better->machine_type + " costs " +
                   format_number(better->configuration.price->amount) + " here and is nowhere worse");
  }
}

}  // namespace

void check_dominance(const PriceList& list, std::string_view text, const Catalog& facts, Report& report) {
  if (!list.has_prices) return;
  Imported imported;
  import_text({text, list.file, list.stem}, list.format, facts, imported);
  std::map<std::string_view, std::vector<std::size_t>> regions;
  for (std::size_t index = 0; index < imported.offers.size(); ++index) {
    const Configuration& box = imported.offers.kind(imported.offers.kind_of(index)).configuration;
    if (box.board && box.price->purchase == "on_demand") regions[imported.offers.region(index)].push_back(index);
  }
  constexpr std::size_t most = 2000;  // a region with more machines than that is no list that a reader could compare
  for (auto& [region, rows] : regions) {
    if (rows.size() > most) continue;
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t one, std::size_t other) { return imported.offers.amount(one) < imported.offers.amount(other); });
    std::vector<Offer> offers;
    for (const std::size_t index : rows) offers.push_back(imported.offers[index]);
    report_dominated(offers, report);
  }
}

}  // namespace steelyard::catalog
