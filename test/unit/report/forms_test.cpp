#include "report/forms.hpp"

#include <steelyard/requests.hpp>

#include "support/catch.hpp"

using namespace steelyard;

TEST_CASE("an unknown figure is null, never 0") {
  const Value answer = to_value(Estimate{});
  for (const char* path : {"memory.peak_gib", "step_time_s", "tokens_per_s", "csi", "plan", "interval", "cost", "unit_cost", "confidence", "tier"}) {
    INFO(path);
    REQUIRE(answer.at_path(path));
    CHECK(answer.at_path(path)->is_null());
  }
}

TEST_CASE("a plan says which ranks share the states and how many layers are recomputed") {
  Plan plan;
  plan.shard_group = 8;
  plan.recomputed_layers = 3;
  const Value form = report::form(plan);
  CHECK(form.find("shard_group")->as_int() == 8);
  CHECK(form.find("recomputed_layers")->as_int() == 3);
}

TEST_CASE("an interval of a time becomes one of the rate, the other way round") {
  Estimate estimate;
  estimate.time.step_time_s = 10;
  estimate.time.tokens_per_s = 1000;
  estimate.time.interval = Interval{8, 12.5, "step_time_s"};
  const Value rate = report::throughput(estimate);
  CHECK(rate.find("low")->as_number() == Approx(800));
  CHECK(rate.find("high")->as_number() == Approx(1250));
  CHECK(rate.find("unit")->as_string() == "tokens_per_s");
}

TEST_CASE("rejections are counted by code and show one example of each") {
  Decision decision;
  decision.offers = 3;
  decision.rejected = {{"a", {}, {"mem_capacity", "too small", "r", 80.0, 24.0, "gib"}},
                       {"b", {}, {"mem_capacity", "too small", "r", 80.0, 16.0, "gib"}},
                       {"c", {}, {"cost", "too dear", "r", {}, {}, {}}}};
  decision.counts = {0, 3, 0, {{"mem_capacity", 2}, {"cost", 1}}};
  const Value answer = to_value(decision, 10);
  CHECK(answer.at_path("rejected.total")->as_int() == 3);
  CHECK(answer.at_path("rejected.by_code.mem_capacity")->as_int() == 2);
  const auto& examples = answer.at_path("rejected.examples")->as_list();
  REQUIRE(examples.size() == 2);
  CHECK(examples[0].find("needed")->as_number() == 80);
  CHECK(!examples[1].find("needed"));
}
