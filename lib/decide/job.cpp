#include "decide/job.hpp"

#include "decide/gather.hpp"

namespace steelyard::decide {

namespace {

// The search must not choose what the rules of this book then refuse. A share that hangs on facts can't be known before there is a plan.
PlanOptions plan_options(const rules::Book& book) {
  PlanOptions options;
  if (const auto share = book.decision("task.memory_share")) options.memory_share = rules::Session(book).number(*share);
  return options;
}

Value facts_of(const Workload& workload, const ExchangeRates& rates) {
  Value facts;
  facts["workload"] = workload_facts(workload, rates);
  facts["model"] = workload.model ? model_facts(*workload.model) : Value::map();
  return facts;
}

}  // namespace

PriceFacts::PriceFacts(const rules::Book& book)
    : per_node_hour(book.fact("price.per_node_hour")),
      per_gpu_hour(book.fact("price.per_gpu_hour")),
      usd_per_gpu_hour(book.fact("price.usd_per_gpu_hour")),
      usd_per_hour(book.fact("price.usd_per_hour")),
      purchase(book.fact("price.purchase")),
      total_usd(book.fact("price.total_usd")),
      hours(book.fact("time.hours")),
      verdict(book.decision("cost.verdict")) {}

Job::Job(const Workload& the_workload, const ExchangeRates& the_rates, const rules::Book& the_book, const MeasuredBoards* the_measured)
    : workload(the_workload),
      rates(the_rates),
      book(the_book),
      measured(the_measured),
      plans(plan_options(the_book)),
      facts(std::make_shared<const Value>(facts_of(the_workload, the_rates))),
      price(the_book),
      sessions(the_book) {}

}  // namespace steelyard::decide
