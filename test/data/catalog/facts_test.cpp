// The shipped facts: every entry has its sources, figures are plausible, names don't clash, sizes follow from shapes.
#include <set>
#include <steelyard/catalog.hpp>

#include "catalog/contents.hpp"
#include "catalog/loaders.hpp"
#include "catalog/offers.hpp"
#include "load/embedded.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

void sourced(const std::vector<Source>& sources) {
  CHECK_FALSE(sources.empty());
  for (const Source& source : sources) {
    CHECK_FALSE(source.text.empty());
    CHECK(source.date);
  }
}

}  // namespace

TEST_CASE("every board and model file loads without an issue") {
  for (const auto name : load::embedded_names("data/boards/")) CHECK(catalog::load_boards(load::embedded_document(name)).issues.empty());
  for (const auto name : load::embedded_names("data/models/")) CHECK(catalog::load_models(load::embedded_document(name)).issues.empty());
  for (const auto name : load::embedded_names("data/currencies/")) CHECK(catalog::load_rates(load::embedded_document(name)).issues.empty());
}

TEST_CASE("boards: sources, unique ids that resolve to themselves, plausible figures") {
  std::set<std::string> ids;
  CHECK(Catalog::embedded().boards().size() > 140);
  for (const Board& board : Catalog::embedded().boards()) {
    INFO(board.id);
    CHECK(ids.insert(board.id).second);
    sourced(board.sources);
    const auto match = Catalog::embedded().find_board(board.id);
    REQUIRE(match.resolved());
    CHECK(match.resolved()->id == board.id);
    if (board.usable_memory_gib && board.memory_gb_nominal > 0) {
      CHECK(*board.usable_memory_gib < board.memory_gb_nominal * 1.03);
      CHECK(*board.usable_memory_gib > board.memory_gb_nominal * 0.88);
    }
    for (const auto& [format, tflops] : board.dense_tflops) {
      INFO(format);
      CHECK(tflops > 0);
      CHECK(tflops < 20000);
    }
    if (board.dense_tflops.contains("bf16") && board.dense_tflops.contains("fp8"))
      CHECK(board.dense_tflops.at("fp8") >= board.dense_tflops.at("bf16"));
    if (board.vendor == "nvidia") CHECK(board.compute_capability);
  }
}

TEST_CASE("models: sources, unique ids that resolve to themselves, sizes that follow from the shape") {
  std::set<std::string> ids;
  for (const Model& model : Catalog::embedded().models()) {
    INFO(model.id);
    CHECK(ids.insert(model.id).second);
    sourced(model.sources);
    REQUIRE(Catalog::embedded().find_model(model.id).resolved());
    CHECK(Catalog::embedded().find_model(model.id).resolved()->id == model.id);
    if (!model.kind.starts_with("llm")) continue;
    const bool interleaved = model.family == "Llama 4";  // dense layers between the others, not first
    if (const auto counted = parameters_b(model); counted && !interleaved) CHECK(*counted == Approx(model.params_b.value()).epsilon(0.02));
    if (const auto counted = active_parameters_b(model); counted && model.experts > 0 && !interleaved) {
      CHECK(*counted == Approx(model.params_active_b.value()).epsilon(0.04));
    }
  }
}

TEST_CASE("rates are dated and positive") {
  const ExchangeRates& rates = Catalog::embedded().rates();
  CHECK(rates.date.year >= 2026);
  CHECK_FALSE(rates.source.empty());
  REQUIRE(rates.convert({100, "CNY"}, "USD"));
  CHECK(rates.convert({100, "CNY"}, "USD")->amount == Approx(15).epsilon(0.1));
}

TEST_CASE("machine types name known boards and have sources") {
  const Facts& facts = *Catalog::embedded().contents().facts;
  CHECK(facts.machines.size() > 150);
  for (const MachineType& machine : facts.machines) {
    INFO(machine.provider + " " + machine.types.front());
    sourced(machine.sources);
    CHECK((!machine.board.empty() || !machine.gpu.empty()));
    if (!machine.board.empty()) CHECK(Catalog::embedded().find_board(machine.board).resolved());
    CHECK(facts.machine_names.find(machine.provider, machine.types.front()) != nullptr);
  }
}

TEST_CASE("offers: unique ids, known boards, prices above zero, sources with dates") {
  std::set<std::string> ids, boards;
  CHECK(Catalog::embedded().offers().size() > 90);
  for (const Offer& offer : Catalog::embedded().offers()) {
    INFO(offer.id);
    CHECK(ids.insert(offer.id).second);
    sourced(offer.sources);
    REQUIRE(offer.configuration.board);
    boards.insert(offer.configuration.board->id);
    CHECK(offer.configuration.price.value().amount > 0);
    CHECK(offer.configuration.gpus_per_node >= 1);
  }
  for (const char* board : {"A100-SXM4-80GB", "H100-SXM5-80GB", "RTX4090-24GB"}) CHECK(boards.contains(board));
}

TEST_CASE("every offer file loads without an issue; the guide's six offers stay apart from the shipped ones") {
  for (const auto name : load::embedded_names("data/offers/"))
    CHECK(catalog::load_offer_file(load::embedded_document(name), Catalog::embedded()).issues.empty());
  const auto guide = catalog::load_offer_file(load::embedded_document("data/offers/guide-vendors.yaml"), Catalog::embedded());
  REQUIRE(guide);
  CHECK_FALSE(guide.value->part_of_default);
  REQUIRE(guide.value->offers.size() == 6);
  CHECK(guide.value->offers[0].id == "guide/cn/A");
  CHECK(guide.value->offers[5].configuration.board->id == "A100-PCIe-40GB");
  CHECK(guide.value->offers[5].warnings.size() == 2);
  for (const Offer& offer : Catalog::embedded().offers()) CHECK(offer.provider != "guide");
}

TEST_CASE("machine types tell PCIe and SXM boxes apart") {
  const auto board = [](const char* provider, const char* type) {
    const MachineType* machine = Catalog::embedded().contents().facts->machine_names.find(provider, type);
    return machine ? machine->board : "none";
  };
  CHECK(board("aws", "p4d.24xlarge") == "A100-SXM4-40GB");
  CHECK(board("aws_v9", "p4de.24xlarge") == "A100-SXM4-80GB");
  CHECK(board("prices", "p5.48xlarge") == "H100-SXM5-80GB");
  CHECK(board("azure", "Standard_NC96ads_A100_v4") == "A100-PCIe-80GB");
  CHECK(board("azure", "Standard_ND96amsr_A100_v4") == "A100-SXM4-80GB");
  CHECK(board("lambda", "gpu_1x_a100") == "A100-PCIe-40GB");
  CHECK(board("lambda", "gpu_8x_a100") == "A100-SXM4-40GB");
  CHECK(board("runpod", "8x_A100-80GB_SECURE") == "A100-PCIe-80GB");
  CHECK(board("runpod", "8x_A100-80GB-SXM_SECURE") == "none");
  CHECK(board("prices", "8x_A100-80GB_SECURE") == "none");
}
