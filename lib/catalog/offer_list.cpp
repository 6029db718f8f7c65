#include <functional>
#include <steelyard/offers.hpp>
#include <utility>

namespace steelyard {

namespace {

// Not of everything: kinds that differ in the rest only are told apart by comparing them.
std::size_t hash_of(const Offer& offer) {
  const Configuration& box = offer.configuration;
  std::size_t hash = 0;
  const auto add = [&](std::string_view text) { hash = hash * 31 + std::hash<std::string_view>()(text); };
  for (const std::string& text : {offer.provider, box.gpu, box.inter_node.kind, offer.where.file}) add(text);
  if (box.price) add(box.price->purchase);
  return hash * 31 + static_cast<std::size_t>(box.gpus_per_node) * 1009 + static_cast<std::size_t>(box.nodes);
}

}  // namespace

OfferList::OfferList(const std::vector<Offer>& offers) {
  rows_.reserve(offers.size());
  for (const Offer& offer : offers) push_back(offer);
}

Offer OfferList::operator[](std::size_t index) const {
  const Row& row = rows_[index];
  Offer offer = kinds_[row.kind];
  offer.id = id(index);
  offer.region = region(index);
  offer.machine_type = machine_type(index);
  if (offer.configuration.price) offer.configuration.price->amount = row.amount;
  offer.where.line = row.line;
  offer.where.column = row.column;
  return offer;
}

void OfferList::push_back(Offer offer) {
  const std::string id = std::exchange(offer.id, {}), region = std::exchange(offer.region, {}), type = std::exchange(offer.machine_type, {});
  Place place{id, region, type, 0, std::exchange(offer.where.line, 0), std::exchange(offer.where.column, 0)};
  if (offer.configuration.price) place.amount = std::exchange(offer.configuration.price->amount, 0);
  append(add_kind(std::move(offer)), place);
}

std::optional<std::size_t> OfferList::find(std::string_view id) const {
  for (std::size_t index = 0; index < size(); ++index) {
    if (this->id(index) == id) return index;
  }
  return std::nullopt;
}

OfferList::Kind OfferList::add_kind(Offer offer) {
  const std::size_t hash = hash_of(offer);
  const auto [first, last] = kinds_by_hash_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (kinds_[known->second] == offer) return known->second;
  }
  const Kind kind = static_cast<Kind>(kinds_.size());
  kinds_.push_back(std::move(offer));
  kinds_by_hash_.emplace(hash, kind);
  return kind;
}

/// Where a text stands behind `start`; it is added where it does not.
std::uint32_t OfferList::find_or_add(std::uint64_t start, std::string_view text) {
  const std::string_view known(texts_.data() + start, texts_.size() - start);
  const std::size_t at = known.find(text);
  if (at == std::string_view::npos) texts_.insert(texts_.end(), text.begin(), text.end());
  return static_cast<std::uint32_t>(at == std::string_view::npos ? known.size() : at);
}

void OfferList::append(Kind kind, const Place& place) {
  Row row{};
  row.amount = place.amount;
  row.text = texts_.size();
  row.kind = kind;
  row.line = place.line;
  row.column = place.column;
  texts_.insert(texts_.end(), place.id.begin(), place.id.end());
  const auto size = [](std::string_view text) { return static_cast<std::uint32_t>(text.size()); };
  row.id_size = size(place.id);
  row.region_at = find_or_add(row.text, place.region);
  row.region_size = size(place.region);
  row.type_at = find_or_add(row.text, place.machine_type);
  row.type_size = size(place.machine_type);
  rows_.push_back(row);
}

}  // namespace steelyard
