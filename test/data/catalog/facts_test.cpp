// The shipped facts: every entry has its sources, figures are plausible, names don't clash, sizes follow from shapes.
#include <steelyard/catalog.hpp>

#include <set>

#include "catalog/loaders.hpp"
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
    if (board.dense_tflops.contains("bf16") && board.dense_tflops.contains("fp8")) CHECK(board.dense_tflops.at("fp8") >= board.dense_tflops.at("bf16"));
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
  CHECK(rates.convert({100, "CNY"}, "USD")->amount == Approx(14).epsilon(0.1));
}
