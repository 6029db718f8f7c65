#include <cmath>

#include "catalog/contents.hpp"
#include "catalog/inputs.hpp"
#include "catalog/offers.hpp"
#include "catalog/sources.hpp"

namespace steelyard::catalog {

void apply_machine(const MachineType& machine, const Catalog& facts, Offer& offer) {
  Configuration& configuration = offer.configuration;
  if (!configuration.board && !machine.board.empty()) {
    configuration.board = facts.find_board(machine.board).resolved();
    configuration.gpu = machine.board;
  }
  if (configuration.gpu.empty()) configuration.gpu = machine.gpu;
  if (configuration.intra_node.empty()) configuration.intra_node = machine.intra_node;
  if (!configuration.gpu_peer_access) configuration.gpu_peer_access = machine.gpu_peer_access;
  if (!configuration.nvlink_domain_gpus) configuration.nvlink_domain_gpus = machine.nvlink_domain_gpus;
  if (configuration.inter_node == InterNode{}) configuration.inter_node = machine.inter_node;
  if (!configuration.host_memory_gib) configuration.host_memory_gib = machine.host_memory_gib;
  if (!offer.vcpus) offer.vcpus = machine.vcpus;
}

std::string offer_id(const Offer& offer) {
  std::string id = offer.provider + "/" + offer.region + "/" + offer.machine_type;
  const auto& price = offer.configuration.price;
  if (price && price->purchase != "on_demand") id += "/" + price->purchase;
  return id;
}

namespace {

using load::Fields;

/// GPUs of a machine as a whole number, at least one; a part of a GPU is no offer that can be compared.
std::optional<int> whole_gpus(const MachineType& machine) {
  if (!machine.gpus || *machine.gpus < 1) return std::nullopt;
  return static_cast<int>(std::lround(*machine.gpus));
}

void read_offer(Fields& fields, const Sources& sources, const Catalog& facts, Offer& offer) {
  offer.where = fields.where();
  offer.provider = fields.required_text("provider");
  offer.region = fields.required_text("region");
  offer.machine_type = fields.required_text("type");
  const MachineType* machine = facts.contents().facts->machine_names.find(offer.provider, offer.machine_type);
  bool counted = false;
  if (const load::Node* node = fields.node("configuration")) {
    auto loaded = load_configuration(fields.document(), *node, facts);
    for (Issue& issue : loaded.issues) {
      if (issue.severity == Severity::warning)
        offer.warnings.push_back(issue.message);
      else
        fields.issues().push_back(std::move(issue));
    }
    if (loaded.value) offer.configuration = std::move(*loaded.value);
    counted = node->find("gpus_per_node") != nullptr;
  } else if (!machine) {
    fields.fault("type", "type: no machine type is known as '" + offer.machine_type + "' at " + offer.provider,
                 "add `configuration:` with gpu and gpus_per_node");
  }
  if (machine) {
    apply_machine(*machine, facts, offer);
    if (!counted) offer.configuration.gpus_per_node = whole_gpus(*machine).value_or(1);
    offer.sources = machine->sources;
  }
  if (const auto price = read_price(fields, "price", facts.rates())) offer.configuration.price = price;
  if (!offer.configuration.price) fields.fault("price", "offer: price is missing", "add price: {amount, currency, per, date}");
  for (std::string& warning : fields.texts("warnings")) offer.warnings.push_back(std::move(warning));
  for (Source& source : named_sources(fields, sources)) offer.sources.push_back(std::move(source));
  offer.id = fields.text("id").value_or(offer_id(offer));
  fields.finish();
}

// What a provider says of all its prices.
std::shared_ptr<const PriceTerms> read_shared_terms(Fields& file) {
  const load::Node* node = file.node("terms");
  if (!node) return nullptr;
  Fields terms(file.document(), *node, file.issues(), "terms");
  auto read = read_price_terms(terms);
  terms.finish();
  return read;
}

}  // namespace

Loaded<OfferFile> load_offer_file(const load::Document& document, const Catalog& facts) {
  Loaded<OfferFile> loaded{OfferFile(), {}};
  Fields file(document, document.root, loaded.issues, "offer file");
  loaded.value->part_of_default = file.flag("part_of_default").value_or(true);
  const Sources sources = read_sources(file);
  const auto terms = read_shared_terms(file);
  if (const load::Node* list = file.node("offers")) {
    each_map(document, *list, loaded.issues, "offer", [&](Fields& fields) {
      const std::size_t before = loaded.issues.size();
      Offer offer;
      read_offer(fields, sources, facts, offer);
      if (terms && offer.configuration.price) offer.configuration.price->terms = with_defaults(offer.configuration.price->terms, terms);
      const bool good = !has_errors({loaded.issues.begin() + static_cast<std::ptrdiff_t>(before), loaded.issues.end()});
      if (good) loaded.value->offers.push_back(std::move(offer));
    });
  } else {
    file.fault("offers", "offer file: offers is missing", "add `offers:` with a list of offers");
  }
  file.finish();
  return loaded;
}

}  // namespace steelyard::catalog
