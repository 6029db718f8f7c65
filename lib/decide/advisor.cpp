#include <map>
#include <set>
#include <steelyard/advisor.hpp>
#include <steelyard/evidence.hpp>
#include <steelyard/stack.hpp>

#include "core/text.hpp"
#include "decide/decide.hpp"
#include "decide/measured.hpp"
#include "explain/compare.hpp"
#include "explain/what_if.hpp"
#include "rank/portfolio.hpp"
#include "rank/select.hpp"
#include "rules/rules.hpp"

namespace steelyard {

Advisor::Advisor(Catalog catalog, std::shared_ptr<const rules::Book> book, std::string rules_name)
    : catalog_(std::move(catalog)), book_(std::move(book)), rules_name_(std::move(rules_name)) {}

Advisor Advisor::embedded(std::string_view rules) {
  return {Catalog::embedded(), std::make_shared<const rules::Book>(rules::embedded_book(rules)), std::string(rules)};
}

Loaded<Advisor> Advisor::with_rules(const std::string& name_or_folder, const ModelFunctions& functions, Language language) {
  auto book = rules::open_book(name_or_folder, functions, language);
  if (!book) return {std::nullopt, std::move(book.issues)};
  return {Advisor(Catalog::embedded(), std::make_shared<const rules::Book>(std::move(*book.value)), name_or_folder), std::move(book.issues)};
}

Language Advisor::language() const { return book_->language(); }

Advisor Advisor::with_catalog(Catalog catalog) const {
  Advisor out(std::move(catalog), book_, rules_name_);
  out.calibrations_ = calibrations_;
  out.measured_ = measured_;
  return out;
}

Loaded<Advisor> Advisor::with_calibrations(const std::vector<std::filesystem::path>& files) const {
  Issues issues;
  std::vector<Calibration> read;
  for (const auto& file : files) {
    Loaded<Calibration> one = load_calibration(file);
    issues.insert(issues.end(), one.issues.begin(), one.issues.end());
    if (one.value) read.push_back(std::move(*one.value));
  }
  if (has_errors(issues)) return {std::nullopt, std::move(issues)};
  return {with_calibrations(read), std::move(issues)};
}

Advisor Advisor::with_calibrations(const std::vector<Calibration>& calibrations) const {
  std::map<std::string, std::vector<Calibration>> by_gpu;
  for (const Calibration& one : calibrations) by_gpu[one.machine.gpu + "|" + one.machine.board].push_back(one);
  Advisor out = *this;
  out.calibrations_.clear();
  for (const auto& [gpu, several] : by_gpu) out.calibrations_.push_back(merge_calibrations(several));
  out.measured_ = std::make_shared<const decide::MeasuredBoards>(out.calibrations_, catalog_);
  return out;
}

Estimate Advisor::estimate(const Workload& workload, const Configuration& configuration) const {
  return decide::estimate(workload, configuration, catalog_.rates(), *book_, decide::Detail::trace, measured_.get());
}

Decision Advisor::select_cluster(const Workload& workload, const RecommendOptions& options) const {
  Decision decision = rank::select_cluster(workload, catalog_, *book_, options, measured_.get());
  // What to check before paying goes with a recommendation that is meant to be read; `trace_top` 0 is a bulk run.
  if (decision.best() && options.trace_top > 0) decision.acceptance = Evidence::with_book(*book_).acceptance(decision.best()->configuration);
  if (!decision.best() && options.trace_top > 0) decision.feasible = ways_to_feasible(workload, decision);
  if (language() != Language::english) rank::say_in(language(), decision);
  return decision;
}

void Advisor::add_what_if(const Workload& workload, const RecommendOptions& options, Explanation& explanation) const {
  if (explanation.estimate.verdict != "accept") {
    const Offer offer = catalog_.offers()[catalog_.offers().find(explanation.offer).value()];
    explanation.what_if = explain::to_accept(workload, offer, explanation.configuration, catalog_.rates(), *book_, measured_.get());
    return;
  }
  const Decision decision = select_cluster(workload, {options.today, 0});
  for (const RankedOffer& ranked : decision.ranking) {
    if (ranked.offer == explanation.offer) explanation.rank = ranked.rank;
  }
  explanation.what_if = explain::to_win(workload, decision, explanation.offer, catalog_.rates(), *book_, measured_.get());
}

// Where nothing is accepted: for each code that turns offers down, the first offer that some change of job or machine would let in.
std::vector<Explanation> Advisor::ways_to_feasible(const Workload& workload, const Decision& decision) const {
  constexpr std::size_t most_ways = 3, most_tries = 12;
  std::vector<Explanation> ways;
  std::set<std::string> tried;
  for (const RejectedOffer& rejected : decision.rejected) {
    if (ways.size() == most_ways || tried.size() == most_tries) break;
    const std::string kind = rejected.reason.code + " " + rejected.configuration.gpu;
    if (rejected.reason.code == "excluded" || !rejected.configuration.board || !tried.insert(kind).second) continue;
    auto changes = explain::to_accept(workload, rejected.configuration, catalog_.rates(), *book_, measured_.get());
    if (changes.empty()) continue;
    Explanation way;
    way.offer = rejected.offer;
    way.configuration = rejected.configuration;
    way.what_if = std::move(changes);
    ways.push_back(std::move(way));
  }
  return ways;
}

Loaded<RankedOffer> Advisor::decide_offer(const Workload& workload, const std::string& id, const Date& today) const {
  const OfferList& offers = catalog_.offers();
  if (const auto found = offers.find(id)) return {rank::decide_offer(workload, offers[*found], catalog_, *book_, today, measured_.get()), {}};
  std::vector<std::string> ids;
  for (std::size_t index = 0; index < offers.size(); ++index) ids.emplace_back(offers.id(index));
  const auto near = nearest_words(id, ids, 3);
  return {std::nullopt,
          {Issue{Severity::error,
                 {},
                 "no offer '" + id + "' in the catalog of " + std::to_string(ids.size()) + " offers",
                 near.empty() ? "`advise recommend` shows the ids" : "did you mean " + join(near, " or ") + "?",
                 {}}}};
}

Loaded<Explanation> Advisor::explain(const Workload& workload, const std::string& offer, const RecommendOptions& options) const {
  auto decided = decide_offer(workload, offer, options.today);
  if (!decided) return {std::nullopt, std::move(decided.issues)};
  Explanation explanation{offer, std::move(decided.value->configuration), std::move(decided.value->estimate), 0, {}, {}};
  if (!explanation.configuration.driver.empty()) {
    explanation.runnable = runnable_stacks(stack_of(workload, explanation.configuration), catalog_, *book_);
  }
  add_what_if(workload, options, explanation);
  return {std::move(explanation), {}};
}

Loaded<Comparison> Advisor::compare(const Workload& workload, const std::string& one, const std::string& other,
                                    const RecommendOptions& options) const {
  auto first = decide_offer(workload, one, options.today), second = decide_offer(workload, other, options.today);
  if (!first) return {std::nullopt, std::move(first.issues)};
  if (!second) return {std::nullopt, std::move(second.issues)};
  return {explain::compare(std::move(*first.value), std::move(*second.value), catalog_.rates(), language()), {}};
}

}  // namespace steelyard
