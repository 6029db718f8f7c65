#include <steelyard/advisor.hpp>
#include <steelyard/evidence.hpp>
#include <steelyard/stack.hpp>

#include "core/text.hpp"
#include "decide/decide.hpp"
#include "explain/what_if.hpp"
#include "rank/select.hpp"
#include "rules/rules.hpp"

namespace steelyard {

Advisor::Advisor(Catalog catalog, std::shared_ptr<const rules::Book> book, std::string rules_name)
    : catalog_(std::move(catalog)), book_(std::move(book)), rules_name_(std::move(rules_name)) {}

Advisor Advisor::embedded(std::string_view rules) {
  return {Catalog::embedded(), std::make_shared<const rules::Book>(rules::embedded_book(rules)), std::string(rules)};
}

Loaded<Advisor> Advisor::with_rules(const std::string& name_or_folder) {
  if (name_or_folder == "reference" || name_or_folder == "field_guide") return {embedded(name_or_folder), {}};
  auto book = rules::load_book(std::filesystem::path(name_or_folder));
  if (!book) return {std::nullopt, std::move(book.issues)};
  return {Advisor(Catalog::embedded(), std::make_shared<const rules::Book>(std::move(*book.value)), name_or_folder), std::move(book.issues)};
}

Advisor Advisor::with_catalog(Catalog catalog) const { return {std::move(catalog), book_, rules_name_}; }

Estimate Advisor::estimate(const Workload& workload, const Configuration& configuration) const {
  return decide::estimate(workload, configuration, catalog_.rates(), *book_, decide::Detail::trace);
}

Decision Advisor::select_cluster(const Workload& workload, const RecommendOptions& options) const {
  Decision decision = rank::select_cluster(workload, catalog_, *book_, options.today, options.trace_top);
  // What to check before paying goes with a recommendation that is meant to be read; `trace_top` 0 is a bulk run.
  if (decision.best() && options.trace_top > 0) {
    if (const auto evidence = Evidence::with_rules(rules_name_)) decision.acceptance = evidence.value->acceptance(decision.best()->configuration);
  }
  return decision;
}

void Advisor::add_what_if(const Workload& workload, const RecommendOptions& options, Explanation& explanation) const {
  if (explanation.estimate.verdict != "accept") {
    explanation.what_if = explain::to_accept(workload, explanation.configuration, catalog_.rates(), *book_);
    return;
  }
  const Decision decision = select_cluster(workload, {options.today, 0});
  for (const RankedOffer& ranked : decision.ranking) {
    if (ranked.offer == explanation.offer) explanation.rank = ranked.rank;
  }
  explanation.what_if = explain::to_win(workload, decision, explanation.offer, catalog_.rates(), *book_);
}

Loaded<Explanation> Advisor::explain(const Workload& workload, const std::string& offer, const RecommendOptions& options) const {
  for (const Offer& one : catalog_.offers()) {
    if (one.id != offer) continue;
    RankedOffer decided = rank::decide_offer(workload, one, catalog_, *book_, options.today);
    Explanation explanation{one.id, std::move(decided.configuration), std::move(decided.estimate), 0, {}, {}};
    if (!explanation.configuration.driver.empty()) {
      explanation.runnable = runnable_stacks(stack_of(workload, explanation.configuration), catalog_, *book_);
    }
    add_what_if(workload, options, explanation);
    return {std::move(explanation), {}};
  }
  std::vector<std::string> ids;
  for (const Offer& one : catalog_.offers()) ids.push_back(one.id);
  const auto near = nearest_words(offer, ids, 3);
  return {std::nullopt,
          {Issue{Severity::error,
                 {},
                 "no offer '" + offer + "' in the catalog of " + std::to_string(ids.size()) + " offers",
                 near.empty() ? "`advise recommend` shows the ids" : "did you mean " + join(near, " or ") + "?",
                 {}}}};
}

}  // namespace steelyard
