// The terms of a price as users write them.
#include <steelyard/catalog.hpp>
#include <steelyard/workload.hpp>

#include "catalog/offers.hpp"
#include "load/node.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

Loaded<Configuration> priced(const std::string& terms) {
  return parse_configuration("{gpu: H100-SXM5-80GB, price: {amount: 2, currency: EUR" + terms + "}}", "box.yaml", Catalog::embedded());
}

void complains(const Loaded<Configuration>& loaded, const std::string& words) {
  REQUIRE(loaded.issues.size() == 1);
  INFO(to_string(loaded.issues[0]));
  CHECK(to_string(loaded.issues[0].where).starts_with("box.yaml:1:"));
  CHECK_THAT(loaded.issues[0].message + " " + loaded.issues[0].fix, Catch::Matchers::Contains(words));
}

}  // namespace

TEST_CASE("all terms of a price are read, and are written as they are read") {
  const std::string terms =
      ", billing_increment_s: 60, minimum_h: 1, commitment_h: 730, discount: 0.3, storage: {gib: 500, amount: 0.1, per: gib_month}, "
      "egress: {amount: 0.09, per: gib}, interruptions_per_h: 0.02";
  const auto loaded = priced(terms);
  REQUIRE(loaded);
  CHECK(loaded.issues.empty());
  const auto& read = loaded.value->price->terms;
  REQUIRE(read);
  CHECK(*read == PriceTerms{60, 1, 730, 0.3, 500, 0.1, 0.09, 0.02});
  const auto again = configuration_from_value(to_value(*loaded.value), "value", Catalog::embedded());
  REQUIRE(again);
  CHECK(*again.value->price == *loaded.value->price);
}

TEST_CASE("a price without terms has none, and is no other price for it") {
  const auto plain = priced("");
  CHECK(plain.value->price->terms == nullptr);
  CHECK(to_value(*plain.value->price).as_map().size() == 4);
  CHECK_FALSE(*plain.value->price == *priced(", minimum_h: 1").value->price);
  CHECK(*priced(", minimum_h: 1").value->price == *priced(", minimum_h: 1").value->price);
}

TEST_CASE("terms that can't be meant are one clear message") {
  complains(priced(", discount: 0.3"), "commitment_h");
  complains(priced(", discount: 30, commitment_h: 10"), "discount");
  complains(priced(", minimum_h: 0"), "above 0");
  complains(priced(", billing_increment_s: 1 h"), "billing_increment_s");
  complains(priced(", storage: {gib: 500}"), "amount is missing");
  complains(priced(", storage: {amount: 0.1, per: gib_hour}"), "gib_month");
  complains(priced(", egress: {amount: 0.1, volume: 3}"), "volume");
  complains(priced(", interruption_per_h: 0.1"), "interruptions_per_h");
}

TEST_CASE("a job states its data and how it gets over an interruption") {
  const auto loaded = parse_workload("task: hpc\ndata: {storage_gib: 500, egress_gib: 20}\ncheckpoint: {gib: 100, gb_per_s: 2, restart_s: 300}\n",
                                     "job.yaml", Catalog::embedded());
  REQUIRE(loaded);
  CHECK(loaded.issues.empty());
  CHECK(loaded.value->data.storage_gib == 500);
  CHECK(loaded.value->data.egress_gib == 20);
  CHECK(loaded.value->checkpoint.gib == 100);
  CHECK(loaded.value->checkpoint.gb_per_s == 2);
  CHECK(loaded.value->checkpoint.restart_s == 300);
  const Value value = to_value(*loaded.value);
  CHECK(value.at_path("data.egress_gib")->as_number() == 20);
  CHECK(value.at_path("checkpoint.restart_s")->as_number() == 300);
}

TEST_CASE("what a file of offers says of all its prices holds for each, after the price's own terms") {
  const auto document = load::parse_document(R"(
sources: {page: {text: "price page", date: 2026-11-30}}
terms: {billing_increment_s: 60, egress: {amount: 0.09}}
offers:
  - {provider: p, region: r, type: a, configuration: {gpu: H100-SXM5-80GB}, price: {amount: 2}, sources: [page]}
  - {provider: p, region: r, type: b, configuration: {gpu: H100-SXM5-80GB}, price: {amount: 2, egress: {amount: 0}, minimum_h: 1}, sources: [page]}
)",
                                             "offers.yaml");
  const auto loaded = catalog::load_offer_file(*document.value, Catalog::embedded());
  REQUIRE(loaded);
  CHECK(loaded.issues.empty());
  REQUIRE(loaded.value->offers.size() == 2);
  PriceTerms all;
  all.billing_increment_s = 60;
  all.egress_per_gib = 0.09;
  CHECK(*loaded.value->offers[0].configuration.price->terms == all);
  all.egress_per_gib = 0;
  all.minimum_h = 1;
  CHECK(*loaded.value->offers[1].configuration.price->terms == all);
}
