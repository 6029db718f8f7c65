#include <steelyard/catalog.hpp>

#include "catalog/contents.hpp"
#include "catalog/loaders.hpp"
#include "catalog/offers.hpp"
#include "load/embedded.hpp"

namespace steelyard {

namespace {

/// All entries of the embedded files of one folder. The tests load every file, so a fault here is a fault of the build.
template <class T>
std::deque<T> embedded_entries(std::string_view folder, Loaded<std::vector<T>> (*load)(const load::Document&)) {
  std::deque<T> entries;
  for (const std::string_view name : load::embedded_names(folder)) {
    for (T& entry : value_or_throw(load(load::embedded_document(name)))) entries.push_back(std::move(entry));
  }
  return entries;
}

ExchangeRates embedded_rates() {
  for (const std::string_view name : load::embedded_names("data/currencies/")) {
    return value_or_throw(catalog::load_rates(load::embedded_document(name)));
  }
  return {};
}

std::deque<MachineType> embedded_machines() {
  catalog::Fabrics fabrics;
  for (const std::string_view name : load::embedded_names("data/fabrics/")) {
    fabrics.merge(value_or_throw(catalog::load_fabrics(load::embedded_document(name))));
  }
  std::deque<MachineType> machines;
  for (const std::string_view name : load::embedded_names("data/machines/")) {
    for (MachineType& machine : value_or_throw(catalog::load_machines(load::embedded_document(name), fabrics)))
      machines.push_back(std::move(machine));
  }
  return machines;
}

/// The offers of all files that belong to the default ones.
OfferList embedded_offers(const Catalog& facts) {
  OfferList offers;
  for (const std::string_view name : load::embedded_names("data/offers/")) {
    auto loaded = catalog::load_offer_file(load::embedded_document(name), facts);
    if (has_errors(loaded.issues)) throw LoadError(std::move(loaded.issues));
    catalog::OfferFile& file = *loaded.value;
    if (!file.part_of_default) continue;
    for (Offer& offer : file.offers) offers.push_back(std::move(offer));
  }
  return offers;
}

}  // namespace

const Catalog& Catalog::embedded() {
  static const Catalog catalog = [] {
    const Catalog facts(std::make_shared<Contents>(
        Contents{std::make_shared<Facts>(embedded_entries<Board>("data/boards/", catalog::load_boards),
                                         embedded_entries<Model>("data/models/", catalog::load_models), embedded_machines(), embedded_rates()),
                 {}}));
    return facts.with_offers(embedded_offers(facts));
  }();
  return catalog;
}

Catalog::Catalog(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

const std::deque<Board>& Catalog::boards() const { return contents_->facts->boards; }
const std::deque<Model>& Catalog::models() const { return contents_->facts->models; }
const OfferList& Catalog::offers() const { return contents_->offers; }
const ExchangeRates& Catalog::rates() const { return contents_->facts->rates; }

NameMatch<Board> Catalog::find_board(std::string_view name, double memory_gb) const { return contents_->facts->board_names.find(name, memory_gb); }

NameMatch<Model> Catalog::find_model(std::string_view name) const { return contents_->facts->model_names.find(name); }

Catalog Catalog::with_offers(OfferList offers) const { return Catalog(std::make_shared<Contents>(Contents{contents_->facts, std::move(offers)})); }

}  // namespace steelyard
