#include "catalog/import/row.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "catalog/contents.hpp"
#include "catalog/import/board_of_row.hpp"
#include "catalog/import/price_facts.hpp"
#include "catalog/offers.hpp"
#include "core/text.hpp"

namespace steelyard::catalog {

OfferSink::OfferSink(std::string provider, std::string file, std::optional<Date> date, const Catalog& facts, Imported& out)
    : provider_(std::move(provider)), file_(std::move(file)), date_(date), facts_(facts), out_(out) {
  grow();
}

void report(Imported& out, Severity severity, SourceLocation where, std::string message, std::string fix) {
  Issue issue;
  issue.severity = severity;
  issue.where = std::move(where);
  issue.message = std::move(message);
  issue.fix = std::move(fix);
  out.issues.push_back(std::move(issue));
}

void OfferSink::fault(int line, int column, std::string message, std::string fix) {
  report(out_, Severity::error, {file_, line, column}, std::move(message), std::move(fix));
  ++out_.unusable;
}

namespace {

/// GPUs as listed, else as the machine type has them; 0: not known. A text that is no number is a fault.
double count_of(const PriceRow& row, const MachineType* machine, std::string& fault) {
  const std::string text(trim(row.count));
  const auto listed = parse_number(text);
  if (!text.empty() && (!listed || *listed < 0)) {
    fault = "expected a number of GPUs, found '" + text + "'";
    return 0;
  }
  if (listed && *listed > 0) return *listed;
  if (!machine || !machine->gpus) fault = "the number of GPUs is missing";
  return machine ? machine->gpus.value_or(0) : 0;
}

/// The machine type knows its board and its count better than a row of prices.
void correct_by_machine(const MachineType& machine, const Catalog& facts, BoardOfRow& found, double& count) {
  if (!machine.board.empty()) {
    found.board = facts.find_board(machine.board).resolved();
    found.warnings.clear();
  }
  if (found.gpu.empty()) found.gpu = machine.gpu;
  if (!found.board && !found.gpu.empty() && found.warnings.empty()) {
    found.board = facts.find_board(found.gpu).resolved();
    if (!found.board) found.warnings.push_back("name_ambiguous: '" + found.gpu + "' fits several boards");
  }
  if (!machine.gpus) return;
  if (*machine.gpus < 1) {
    found.part = true;
    found.warnings.push_back("gpu_fraction: this type has " + format_rounded(*machine.gpus, 2) + " of a GPU");
    return;
  }
  if (std::abs(*machine.gpus - count) < 1e-9) return;
  found.warnings.push_back("gpu_count: " + format_number(count) + " listed, this type has " + format_number(*machine.gpus));
  count = *machine.gpus;
}

/// A part of a GPU is shown, but nothing can be said of it as a board.
void withdraw_board(BoardOfRow& found) {
  const bool said =
      std::any_of(found.warnings.begin(), found.warnings.end(), [](const std::string& text) { return text.starts_with("gpu_fraction"); });
  if (!said) found.warnings.push_back("gpu_fraction: sells a part of a " + found.gpu);
  found.board = nullptr;
  found.gpu += " (a part of one)";
}

}  // namespace

OfferSink::Prototype OfferSink::make_prototype(const PriceRow& row) const {
  Prototype made;
  Offer& offer = made.offer;
  Configuration& box = offer.configuration;
  offer.provider = provider_;
  offer.machine_type = std::string(row.type);
  const MachineType* machine = facts_.contents().facts->machine_names.find(provider_, row.type);
  if (row.gpu.empty() && !machine) {
    made.fault = "no GPU is named, and no machine type is known as '" + offer.machine_type + "'";
    return made;
  }
  double count = count_of(row, machine, made.fault);
  if (!made.fault.empty()) {
    made.fault_column = 1;
    return made;
  }
  BoardOfRow found = row.gpu.empty() ? BoardOfRow{} : board_of_row(row, count, facts_);
  if (found.chips) count = *found.chips;
  if (machine) correct_by_machine(*machine, facts_, found, count);
  if (found.part) withdraw_board(found);
  box.board = found.board;
  box.gpu = found.board ? found.board->id : found.gpu;
  box.gpus_per_node = std::max(1, static_cast<int>(std::lround(count)));
  box.host_memory_gib = row.host_memory_gib;
  if (row.vcpus) offer.vcpus = static_cast<int>(*row.vcpus);
  if (row.infiniband) box.inter_node.kind = "infiniband";
  if (machine && !found.part) apply_machine(*machine, facts_, offer);
  if (box.inter_node == InterNode{} && row.network_gbit_per_s) box.inter_node = {"ethernet", row.network_gbit_per_s, {}, {}, {}};
  if (box.intra_node.empty() && box.gpus_per_node == 1) box.intra_node = "none";
  offer.warnings = std::move(found.warnings);
  return made;
}

const OfferSink::Prototype& OfferSink::prototype_of(const PriceRow& row) {
  const bool same = !made_.empty() && row.type == last_.type && row.gpu == last_.gpu && row.count == last_.count && row.info == last_.info &&
                    row.memory_gib == last_.memory_gib && row.network_gbit_per_s == last_.network_gbit_per_s;
  if (same) return made_[last_prototype_];
  key_.assign(row.type).append("\n").append(row.gpu).append("\n").append(row.count).append("\n").append(row.info);
  if (row.memory_gib) key_.append("\n").append(format_number(*row.memory_gib));
  if (row.network_gbit_per_s) key_.append("\n").append(format_number(*row.network_gbit_per_s));
  const auto [found, added] = prototypes_.try_emplace(key_, made_.size());
  if (added) made_.push_back(make_prototype(row));
  last_ = row;
  last_prototype_ = found->second;
  return made_[last_prototype_];
}

namespace {

std::uint32_t hash_of(std::string_view text) { return static_cast<std::uint32_t>(std::hash<std::string_view>()(text)); }

}  // namespace

OfferSink::Slot& OfferSink::slot_of(std::string_view id, std::uint32_t hash) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  while (table_[at].offer != 0 && (table_[at].hash != hash || out_.offers[table_[at].offer - 1].id != id)) at = (at + 1) & mask;
  return table_[at];
}

/// Makes the table larger where it is half full; the hashes of what it holds are kept in it.
void OfferSink::grow() {
  const bool first = table_.empty();
  if (!first && table_.size() > 2 * out_.offers.size()) return;
  std::vector<Slot> old(std::bit_ceil(std::max<std::size_t>(1024, 4 * out_.offers.size())));
  old.swap(table_);
  const auto insert = [&](Slot slot) {
    std::size_t at = slot.hash & (table_.size() - 1);
    while (table_[at].offer != 0) at = (at + 1) & (table_.size() - 1);
    table_[at] = slot;
  };
  for (const Slot& slot : old) {
    if (slot.offer != 0) insert(slot);
  }
  for (std::size_t index = 0; first && index < out_.offers.size(); ++index)
    insert({static_cast<std::uint32_t>(index + 1), hash_of(out_.offers[index].id)});
}

/// Adds an offer, or merges it into the one of the same id; true where it is new.
bool OfferSink::put(const Prototype& prototype, const PriceRow& row, double price, const char* purchase) {
  const bool spot = purchase[0] == 's';
  id_.assign(provider_).append("/").append(row.region).append("/").append(row.type);
  if (spot) id_.append("/spot");
  const std::uint32_t hash = hash_of(id_);
  Slot& slot = slot_of(id_, hash);
  if (slot.offer != 0) {
    Offer& known = out_.offers[slot.offer - 1];
    double& amount = known.configuration.price->amount;
    const bool noted = !known.warnings.empty() && known.warnings.back().starts_with("zone_prices");
    if (price != amount && !noted) known.warnings.push_back("zone_prices: the price differs by zone, the lowest is taken");
    amount = std::min(amount, price);
    return false;
  }
  slot = {static_cast<std::uint32_t>(out_.offers.size() + 1), hash};
  Offer& offer = out_.offers.emplace_back(prototype.offer);
  offer.id = id_;
  offer.region = std::string(row.region);
  offer.where = {file_, row.line, 1};
  Price& money = offer.configuration.price.emplace();
  money.amount = price;
  money.date = date_;
  if (spot) money.purchase = "spot";
  grow();
  return true;
}

void OfferSink::add(const PriceRow& row) {
  const Prototype& prototype = prototype_of(row);
  if (!prototype.fault.empty())
    return fault(row.line, prototype.fault_column == 1 ? row.count_column : row.gpu_column, prototype.fault, prototype.fix);
  if (!row.price_usd && !row.spot_usd) return fault(row.line, 1, "neither an on-demand nor a spot price");
  const Configuration& box = prototype.offer.configuration;
  const bool floor =
      row.price_usd && row.spot_usd && *row.price_usd == *row.spot_usd && box.board && is_bid_floor(*row.price_usd, box.gpus_per_node, {box.board});
  bool added = false;
  for (const auto& [price, purchase] : {std::pair(row.price_usd, "on_demand"), std::pair(row.spot_usd, "spot")}) {
    if (!price) continue;
    if (!put(prototype, row, *price, purchase)) continue;
    added = true;
    if (floor) out_.offers.back().warnings.push_back("price_implausible: the lowest possible bid, given as price");
  }
  ++(added ? out_.used : out_.merged);
}

}  // namespace steelyard::catalog
