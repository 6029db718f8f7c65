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
  const MachineType* machine = machine_;
  if (row.gpu.empty() && !machine) {
    made.fault = "no GPU is named, and no machine type is known as '" + std::string(row.type) + "'";
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

/// On demand and spot: what is left to say of an offer are its place and its price.
void OfferSink::add_kinds(Prototype& made) {
  Offer offer = made.offer;
  offer.where.file = file_;
  Price& price = offer.configuration.price.emplace();
  price.date = date_;
  made.on_demand = out_.offers.add_kind(offer);
  price.purchase = "spot";
  made.spot = out_.offers.add_kind(std::move(offer));
}

/// Everything of a row that its kind of offer depends on.
void OfferSink::write_key(const PriceRow& row) {
  const auto add = [&](const void* bytes, std::size_t size) { key_.append(static_cast<const char*>(bytes), size); };
  key_.assign(row.gpu).append("\n").append(row.count).append("\n").append(row.info).append("\n").append(form_in_name(row.type));
  for (const auto& figure : {row.memory_gib, row.network_gbit_per_s, row.vcpus, row.host_memory_gib}) {
    const double value = figure.value_or(-1);
    add(&value, sizeof value);
  }
  const auto machine = reinterpret_cast<std::uintptr_t>(machine_);
  add(&machine, sizeof machine);
  key_.push_back(row.infiniband ? '1' : '0');
  if (row.gpu.empty() && !machine_) key_.append(row.type);
}

const OfferSink::Prototype& OfferSink::prototype_of(const PriceRow& row) {
  const bool same = !made_.empty() && row.type == last_.type && row.gpu == last_.gpu && row.count == last_.count && row.info == last_.info &&
                    row.memory_gib == last_.memory_gib && row.network_gbit_per_s == last_.network_gbit_per_s && row.vcpus == last_.vcpus &&
                    row.host_memory_gib == last_.host_memory_gib && row.infiniband == last_.infiniband;
  if (same) return made_[last_prototype_];
  if (made_.empty() || row.type != last_.type) machine_ = facts_.contents().facts->machine_names.find(provider_, row.type);
  write_key(row);
  const auto [found, added] = prototypes_.try_emplace(key_, made_.size());
  if (added) {
    made_.push_back(make_prototype(row));
    if (made_.back().fault.empty()) add_kinds(made_.back());
  }
  last_ = row;
  last_prototype_ = found->second;
  return made_[last_prototype_];
}

namespace {

constexpr const char* zones_differ = "zone_prices: the price differs by zone, the lowest is taken";
constexpr const char* bid_floor = "price_implausible: the lowest possible bid, given as price";

std::uint32_t hash_of(std::string_view text) { return static_cast<std::uint32_t>(std::hash<std::string_view>()(text)); }

}  // namespace

OfferSink::Slot& OfferSink::slot_of(std::string_view id, std::uint32_t hash) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash & mask;
  while (table_[at].offer != 0 && (table_[at].hash != hash || out_.offers.id(table_[at].offer - 1) != id)) at = (at + 1) & mask;
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
    insert({static_cast<std::uint32_t>(index + 1), hash_of(out_.offers.id(index))});
}

OfferList::Kind OfferSink::warned(OfferList::Kind kind, const char* warning) {
  const auto [known, added] = warned_.try_emplace({kind, warning}, kind);
  if (added) {
    Offer offer = out_.offers.kind(kind);
    offer.warnings.emplace_back(warning);
    known->second = out_.offers.add_kind(std::move(offer));
  }
  return known->second;
}

/// Adds an offer, or merges it into the one of the same id; true where it is new.
bool OfferSink::put(OfferList::Kind kind, const PriceRow& row, double price, bool spot) {
  id_.assign(provider_).append("/").append(row.region).append("/").append(row.type);
  if (spot) id_.append("/spot");
  const std::uint32_t hash = hash_of(id_);
  Slot& slot = slot_of(id_, hash);
  OfferList& offers = out_.offers;
  if (slot.offer == 0) {
    slot = {static_cast<std::uint32_t>(offers.size() + 1), hash};
    offers.append(kind, {id_, row.region, row.type, price, row.line, 1});
    grow();
    return true;
  }
  const std::size_t known = slot.offer - 1;
  if (price == offers.amount(known)) return false;
  const OfferList::Kind now = offers.kind_of(known);
  const auto& warnings = offers.kind(now).warnings;
  if (warnings.empty() || warnings.back() != zones_differ) offers.set_kind(known, warned(now, zones_differ));
  offers.set_amount(known, std::min(offers.amount(known), price));
  return false;
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
  for (const bool spot : {false, true}) {
    const auto& price = spot ? row.spot_usd : row.price_usd;
    if (!price || !put(spot ? prototype.spot : prototype.on_demand, row, *price, spot)) continue;
    added = true;
    const std::size_t last = out_.offers.size() - 1;
    if (floor) out_.offers.set_kind(last, warned(out_.offers.kind_of(last), bid_floor));
  }
  ++(added ? out_.used : out_.merged);
}

}  // namespace steelyard::catalog
