// What renting for a whole job costs under the terms of its price.
#include "decide/4_cost/terms.hpp"

#include <cmath>
#include <steelyard/advisor.hpp>

#include "support/catch.hpp"

using namespace steelyard;
using decide::JobTerms;
using decide::work_cost;

namespace {

Price priced(double amount, const PriceTerms& terms, const std::string& per = "node_hour", const std::string& purchase = "on_demand") {
  return {amount, "USD", per, purchase, {}, std::make_shared<const PriceTerms>(terms)};
}

JobTerms recovering(double checkpoint_s, double restart_s) {
  JobTerms job;
  job.recovery = {checkpoint_s, restart_s, false};
  return job;
}

double total(const Price& price, int gpus, int nodes, double hours, const JobTerms& job = {}) {
  const auto cost = work_cost(price, gpus, nodes, hours, job);
  return cost.total(decide::paid_amount(price) * decide::units_of(price, gpus, nodes), cost.fixed);
}

}  // namespace

TEST_CASE("without terms the cost is hours times the price of all nodes, to the last bit") {
  const Price node{3.3, "USD", "node_hour", "on_demand", {}}, gpu{1.1, "USD", "gpu_hour", "on_demand", {}};
  for (const double hours : {0.1, 1.0 / 3, 7.77, 1234.567}) {
    CHECK(total(node, 8, 3, hours) == 3.3 * 3 * hours);
    CHECK(total(gpu, 8, 3, hours) == 1.1 * 24 * hours);
  }
}

TEST_CASE("begun increments are billed whole, a whole number of them is no more") {
  PriceTerms terms;
  terms.billing_increment_s = 3600;
  CHECK(work_cost(priced(2, terms), 8, 1, 1.01, {}).parts.billed_h == 2);
  CHECK(work_cost(priced(2, terms), 8, 1, 3 * (1.0 / 3), {}).parts.billed_h == 1);
  terms.billing_increment_s = 60;
  CHECK(work_cost(priced(2, terms), 8, 1, 1.01, {}).parts.billed_h == Approx(61.0 / 60));
}

TEST_CASE("minimum and commitment are paid, used or not; the discount is the commitment's") {
  PriceTerms terms;
  terms.minimum_h = 24;
  CHECK(total(priced(2, terms), 8, 2, 10) == 2 * 2 * 24);
  CHECK(total(priced(2, terms), 8, 2, 30) == 2 * 2 * 30);
  terms.commitment_h = 730;
  terms.discount = 0.25;
  CHECK(total(priced(2, terms), 8, 1, 30) == 1.5 * 730);
  const auto parts = work_cost(priced(2, terms), 8, 1, 30, {}).parts;
  CHECK(parts.compute == 1.5 * 30);
  CHECK(parts.unused == 1.5 * 700);
}

TEST_CASE("storage is held while the job runs, egress once; what the job does not state is not counted and named") {
  PriceTerms terms;
  terms.storage_per_gib_month = 0.1;
  terms.egress_per_gib = 0.09;
  const auto open = work_cost(priced(2, terms), 8, 1, 73, {});
  CHECK(open.fixed == 0);
  CHECK(open.parts.not_counted == std::vector<std::string>{"storage: workload.data.storage_gib", "egress: workload.data.egress_gib"});
  JobTerms job;
  job.storage_gib = 1000;
  job.egress_gib = 50;
  const auto stated = work_cost(priced(2, terms), 8, 1, 73, job);
  CHECK(stated.parts.storage == Approx(1000 * 0.1 / 10));  // 73 h are a tenth of a month
  CHECK(stated.parts.egress == Approx(4.5));
  CHECK(stated.parts.not_counted.empty());
  terms.storage_gib = 2000;  // the offer rents out no less
  CHECK(work_cost(priced(2, terms), 8, 1, 73, job).parts.storage == Approx(20));
}

TEST_CASE("the parts add up to the total, and the total is linear in the amount") {
  PriceTerms terms;
  terms.billing_increment_s = 3600;
  terms.minimum_h = 5;
  terms.commitment_h = 20;
  terms.discount = 0.3;
  terms.storage_per_gib_month = 0.1;
  terms.storage_gib = 100;
  terms.egress_per_gib = 0.1;
  terms.interruptions_per_h = 0.02;
  JobTerms job = recovering(120, 300);
  job.egress_gib = 10;
  for (const double hours : {1.5, 15.0, 150.0}) {
    for (const char* per : {"node_hour", "gpu_hour"}) {
      const auto cost = work_cost(priced(2, terms, per), 8, 3, hours, job);
      CHECK(cost.parts.total() == Approx(total(priced(2, terms, per), 8, 3, hours, job)));
      for (const double amount : {0.5, 2.0, 11.0})
        CHECK(total(priced(amount, terms, per), 8, 3, hours, job) == Approx(cost.per_amount * amount + cost.fixed));
    }
  }
}

TEST_CASE("interruptions: one node stops all, hours are added, rented hours lose work instead") {
  PriceTerms terms;
  terms.interruptions_per_h = 0.05;
  const JobTerms job = recovering(120, 300);
  const auto one = work_cost(priced(1, terms), 8, 1, 100, job), four = work_cost(priced(1, terms), 8, 4, 100, job);
  CHECK(one.parts.elapsed_h > 100);
  CHECK(four.parts.elapsed_h > one.parts.elapsed_h);
  CHECK(one.parts.interruptions == Approx(0.05 * one.parts.elapsed_h));
  CHECK(one.parts.interruption == Approx(one.parts.elapsed_h - 100));
  JobTerms rented = job;
  rented.hours_are_rented = true;
  const auto lost = work_cost(priced(1, terms), 8, 1, 100, rented);
  CHECK(lost.parts.elapsed_h == 100);
  CHECK(lost.parts.running_h == Approx(100 * 100 / one.parts.elapsed_h));
  const auto open = work_cost(priced(1, terms), 8, 1, 100, {});
  CHECK(open.interruptions_open);
  CHECK(open.parts.elapsed_h == 100);
  CHECK(open.parts.not_counted.size() == 2);
}

TEST_CASE("break-even: at that rate spot costs what the machine on demand does") {
  const Price spot{1, "USD", "node_hour", "spot", {}}, on_demand{2.5, "USD", "node_hour", "on_demand", {}};
  const JobTerms job = recovering(120, 600);
  const auto least = decide::break_even_h(spot, on_demand, 8, 2, 100, job);
  REQUIRE(least);
  PriceTerms terms;
  terms.interruptions_per_h = 1 / *least / 2;  // of one of two nodes
  CHECK(total(priced(1, terms), 8, 2, 100, job) == Approx(total(on_demand, 8, 2, 100)).epsilon(0.01));
  CHECK(*decide::break_even_h(on_demand, spot, 8, 2, 100, job) == INFINITY);
  CHECK_FALSE(decide::break_even_h(spot, on_demand, 8, 2, 100, {}));
  CHECK(decide::break_even_h(spot, on_demand, 8, 2, 100, recovering(0, 0)) == 0);
  JobTerms over;
  over.recovery = {std::nullopt, 600, true};
  CHECK(*decide::break_even_h(spot, on_demand, 8, 2, 100, over) > *least);  // a job that starts over bears fewer interruptions
}

TEST_CASE("what a job needs to get over an interruption follows from its model and its statements") {
  const Advisor advisor = Advisor::embedded();
  const auto job = [&](const std::string& text) { return value_or_throw(parse_workload(text, "job.yaml", advisor.catalog())); };
  const auto box = value_or_throw(parse_configuration("{gpu: H100-SXM5-80GB, gpus_per_node: 8}", "box.yaml", advisor.catalog()));
  const auto terms = [&](const Workload& workload) { return decide::job_terms(workload, advisor.estimate(workload, box).memory); };
  // Adam in mixed precision: 2 bytes of weights and 12 of optimizer a parameter; 8.03e9 of them at 2 GB/s.
  const auto full = terms(job("task: full_finetune\nmodel: meta-llama/Llama-3.1-8B\ncheckpoint: {gb_per_s: 2, restart_s: 300}\n"));
  REQUIRE(full.recovery.checkpoint_s);
  CHECK(*full.recovery.checkpoint_s == Approx(8.03e9 * 14 / 2e9).epsilon(0.01));
  CHECK(full.recovery.restart_s == 300);
  const auto adapter = terms(job("task: lora\nmodel: meta-llama/Llama-3.1-8B\ncheckpoint: {gb_per_s: 2}\n"));
  CHECK(*adapter.recovery.checkpoint_s < *full.recovery.checkpoint_s / 50);
  CHECK_FALSE(adapter.recovery.restart_s);
  const auto stated = terms(job("task: hpc\ncheckpoint: {gib: 100, gb_per_s: 1.073741824}\n"));
  CHECK(*stated.recovery.checkpoint_s == Approx(100));
  CHECK_FALSE(terms(job("task: hpc\ncheckpoint: {gb_per_s: 1}\n")).recovery.checkpoint_s);
  CHECK(terms(job("task: llm_inference\nmodel: meta-llama/Llama-3.1-8B\n")).recovery.checkpoint_s == 0);
  CHECK(terms(job("task: pretrain\nmodel: meta-llama/Llama-3.1-8B\nconstraints: {resumable: false}\n")).recovery.starts_over);
}
