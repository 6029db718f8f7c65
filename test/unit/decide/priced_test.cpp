// Whole answers under the terms of a price: cost, verdict, warnings, questions.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <steelyard/advisor.hpp>
#include <steelyard/requests.hpp>

#include "decide/decide.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

const Advisor& advisor() {
  static const Advisor made = Advisor::embedded();
  return made;
}

Workload job(const std::string& more = {}) {
  const std::string text = "task: full_finetune\nmodel: meta-llama/Llama-3.1-8B\nbatch: {global: 64}\nsequence_length: 4096\nwork: {tokens: 1.0e9}\n";
  return value_or_throw(parse_workload(text + more, "job.yaml", advisor().catalog()));
}

Configuration box(const std::string& price, int nodes = 1) {
  const std::string text = "{gpu: H100-SXM5-80GB, gpus_per_node: 8, nodes: " + std::to_string(nodes) +
                           ", intra_node: nvlink, inter_node: {kind: infiniband, gbit_per_s_per_node: 3200}, price: {amount: 20, " + price + "}}";
  return value_or_throw(parse_configuration(text, "box.yaml", advisor().catalog()));
}

bool warns(const Estimate& estimate, const std::string& code, const std::string& words = {}) {
  return std::any_of(estimate.warnings.begin(), estimate.warnings.end(),
                     [&](const Reason& one) { return one.code == code && one.message.find(words) != std::string::npos; });
}

bool rejects(const Estimate& estimate, const std::string& code) {
  return std::any_of(estimate.reasons.begin(), estimate.reasons.end(), [&](const Reason& one) { return one.code == code; });
}

}  // namespace

TEST_CASE("a price without terms is hours times price, and nothing is said of terms") {
  const Estimate plain = advisor().estimate(job(), box("per: node_hour"));
  REQUIRE(plain.cost);
  CHECK(plain.cost->amount == 20 * *plain.time_h);
  CHECK_FALSE(plain.cost_parts);
  CHECK(to_value(plain).find("cost_parts") == nullptr);
  const auto trace = std::find_if(plain.trace.begin(), plain.trace.end(), [](const TraceStep& one) { return one.table == "cost.work"; });
  CHECK(trace == plain.trace.end());
}

TEST_CASE("a commitment longer than the work is paid, warned of and counted against the budget") {
  const Configuration committed = box("purchase: reserved, commitment_h: 730, discount: 0.25");
  const Estimate estimate = advisor().estimate(job(), committed);
  REQUIRE(estimate.cost_parts);
  CHECK(estimate.cost->amount == Approx(20 * 0.75 * 730));
  CHECK(estimate.cost_parts->total() == Approx(estimate.cost->amount));
  CHECK(warns(estimate, "commitment_exceeds_work", "730"));
  CHECK(estimate.unit_cost->money.amount == Approx(0.75 * advisor().estimate(job(), box("per: node_hour")).unit_cost->money.amount));
  CHECK(rejects(advisor().estimate(job("constraints: {budget: 10000 USD}\n"), committed), "cost"));
  CHECK(advisor().estimate(job("constraints: {budget: 11000 USD}\n"), committed).verdict == "accept");
}

TEST_CASE("a stated rate of interruptions costs time and money, against the deadline too") {
  const std::string recovery = "checkpoint: {gb_per_s: 2, restart_s: 600}\n";
  const Configuration spot = box("purchase: spot, interruptions_per_h: 0.2");
  const double hours = *advisor().estimate(job(), box("purchase: spot")).time_h;
  const Estimate estimate = advisor().estimate(job(recovery), spot);
  REQUIRE(estimate.cost_parts);
  CHECK(*estimate.time_h > hours);
  CHECK(estimate.cost_parts->running_h == hours);
  CHECK(warns(estimate, "spot_interruption", "interruptions are expected"));
  const std::string deadline = "constraints: {deadline: " + std::to_string(hours * 1.001) + " h}\n";
  CHECK(rejects(advisor().estimate(job(recovery + deadline), spot), "time"));
  CHECK(rejects(advisor().estimate(job(recovery), box("purchase: spot, interruptions_per_h: 60")), "interruption"));
}

TEST_CASE("a rate without what a restart takes: asked where a limit hangs on it, else only said") {
  const Configuration spot = box("purchase: spot, interruptions_per_h: 0.2");
  const Estimate open = advisor().estimate(job(), spot);
  CHECK(open.verdict == "accept");
  CHECK(warns(open, "interruption_not_counted"));
  const Estimate asked = advisor().estimate(job("constraints: {budget: 1000000 USD}\n"), spot);
  CHECK(asked.verdict == "unknown");
  REQUIRE(asked.questions.size() == 2);
  CHECK(asked.questions[0].field == "workload.checkpoint.gb_per_s");
  CHECK(asked.questions[1].field == "workload.checkpoint.restart_s");
  CHECK(advisor().estimate(job("constraints: {budget: 1 USD}\n"), spot).verdict == "reject");
}

TEST_CASE("the facts of one price do not stay for the next") {
  const Workload workload = job("checkpoint: {gb_per_s: 2, restart_s: 600}\n");
  const Configuration plain = box("purchase: spot"), terms = box("purchase: spot, minimum_h: 1000, interruptions_per_h: 0.2, egress: {amount: 0.1}");
  const decide::Job asked(workload, advisor().catalog().rates(), advisor().book());
  decide::MachineDecision machine(asked, plain, decide::Detail::trace);
  const std::string before = to_json(to_value(machine.priced(plain)));
  CHECK(warns(machine.priced(terms), "minimum_period"));
  CHECK(to_json(to_value(machine.priced(plain))) == before);
}

TEST_CASE("an old price is warned of where its day and today are known, and changes no verdict") {
  const Workload workload = job();
  const Configuration dated = box("date: 2026-06-01"), undated = box("per: node_hour");
  const auto estimate = [&](const Configuration& configuration, std::optional<Date> today) {
    return decide::estimate(workload, configuration, advisor().catalog().rates(), advisor().book(), decide::Detail::verdict, nullptr, {today, {}});
  };
  CHECK(warns(estimate(dated, Date{2026, 8, 31}), "stale_price", "91"));
  CHECK_FALSE(warns(estimate(dated, Date{2026, 8, 30}), "stale_price"));
  CHECK_FALSE(warns(estimate(dated, std::nullopt), "stale_price"));
  CHECK_FALSE(warns(estimate(undated, Date{2030, 1, 1}), "stale_price"));
  CHECK(estimate(dated, Date{2030, 1, 1}).verdict == estimate(dated, std::nullopt).verdict);
}

TEST_CASE("spot of no stated rate: the break-even against the same machine on demand, in the choices and in the warning") {
  std::vector<Offer> offers(2);
  offers[0].configuration = box("per: node_hour");
  offers[1].configuration = box("purchase: spot");
  offers[1].configuration.price->amount = 8;
  for (Offer& offer : offers) {
    offer.provider = "cloud";
    offer.region = "eu";
    offer.machine_type = "h100x8";
    offer.id = "cloud/eu/h100x8" + std::string(offer.configuration.price->purchase == "spot" ? "/spot" : "");
  }
  const Advisor two = advisor().with_catalog(advisor().catalog().with_offers(offers));
  const auto chosen = [&](const std::string& more) {
    const Decision decision = two.select_cluster(job(more + "constraints: {nodes_max: 1}\n"), {{2026, 11, 30}, 1});
    REQUIRE(decision.best()->offer == "cloud/eu/h100x8/spot");
    const auto spot = std::find_if(decision.choices.begin(), decision.choices.end(), [](const Choice& one) { return one.role == "cheapest_spot"; });
    REQUIRE(spot != decision.choices.end());
    return std::pair(spot->break_even_h, decision.best()->estimate);
  };
  const auto [known, estimate] = chosen("checkpoint: {gb_per_s: 2, restart_s: 600}\n");
  REQUIRE(known);
  CHECK(*known > 0);
  CHECK(warns(estimate, "spot_interruption", "less than once every"));
  const auto [open, unstated] = chosen({});
  CHECK_FALSE(open);
  CHECK(warns(unstated, "spot_interruption", "until interruptions add 150 %"));
  const auto explained =
      two.explain(job("checkpoint: {gb_per_s: 2, restart_s: 600}\nconstraints: {nodes_max: 1}\n"), "cloud/eu/h100x8/spot", {{2026, 11, 30}, 1});
  CHECK(warns(explained.value->estimate, "spot_interruption", "less than once every"));
}

TEST_CASE("a job that can't be resumed is told what an interruption of a spot machine loses") {
  const Configuration spot = box("purchase: spot");
  CHECK(warns(advisor().estimate(job("constraints: {resumable: false}\n"), spot), "spot_interruption", "can't be resumed"));
  CHECK_FALSE(warns(advisor().estimate(job("constraints: {resumable: true}\n"), spot), "spot_interruption", "can't be resumed"));
}

TEST_CASE("the plan search fills no more of the memory than the user's own rules allow") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("steelyard-share-" + std::to_string(reinterpret_cast<std::uintptr_t>(&advisor())));
  fs::create_directories(folder);
  std::ofstream(folder / "rules.yaml")
      << "extends: reference\nreplace:\n  - {id: task.memory_share, value: 0.5, because: \"half of the memory: 0.5\"}\n";
  const auto own = Advisor::with_rules(folder.string());
  fs::remove_all(folder);
  REQUIRE(own);
  // One node of 4: by the shipped rules the fastest plan fills more than a half.
  Configuration four = box("per: node_hour");
  four.gpus_per_node = 4;
  const Estimate shipped = advisor().estimate(job(), four), half = own.value->estimate(job(), four);
  CHECK(*shipped.memory.run_gib > 0.5 * *shipped.memory.usable_gib);
  CHECK(*half.memory.run_gib <= 0.5 * *half.memory.usable_gib);
  CHECK(half.verdict == "accept");
}
