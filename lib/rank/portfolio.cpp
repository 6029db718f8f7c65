#include "rank/portfolio.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "core/text.hpp"
#include "decide/4_cost/terms.hpp"
#include "rank/on_demand.hpp"
#include "rank/rank.hpp"
#include "words/phrases.hpp"

namespace steelyard::rank {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

double work_usd(const RankedOffer& ranked, const ExchangeRates& rates) {
  const auto usd = ranked.estimate.cost ? rates.convert(*ranked.estimate.cost, "USD") : std::nullopt;
  return usd ? usd->amount : unknown;
}

Choice choice_of(const char* role, const RankedOffer& ranked, const ExchangeRates& rates) {
  Choice choice{role, ranked.offer, ranked.configuration.gpus(), ranked.estimate.time_h, ranked.estimate.cost, {}};
  if (const double usd = hourly_usd(ranked, rates); std::isfinite(usd)) choice.hourly = Money{usd, "USD"};
  return choice;
}

// The first of the ranking with the least figure; null where no offer has the figure.
const RankedOffer* least(const std::vector<RankedOffer>& ranking, const std::function<double(const RankedOffer&)>& figure) {
  const RankedOffer* best = nullptr;
  double lowest = unknown;
  for (const RankedOffer& ranked : ranking) {
    if (const double value = figure(ranked); value < lowest) lowest = value, best = &ranked;
  }
  return best;
}

double speed_rank(const RankedOffer& ranked) {
  const double rate = main_rate(ranked.estimate.time);
  return rate > 0 ? -rate : unknown;
}

bool is_spot(const RankedOffer& ranked) { return ranked.configuration.price && ranked.configuration.price->purchase == "spot"; }

std::string sentence(const GrowthStep& step, int gpus_before, const words::Phrases& phrases) {
  std::string text = phrases.say("{} GPUs do the work {} times as fast as {}", step.gpus, format_rounded(step.speedup.value_or(1), 2), gpus_before);
  if (step.cost_ratio) text += phrases.say(", at {} times the cost of the same work", format_rounded(*step.cost_ratio, 2));
  const bool cheaper = step.cost_ratio && *step.cost_ratio <= 1;
  return text + phrases.say(cheaper ? "; take it as soon as the work fills it" : "; take it when waiting costs more than that");
}

GrowthStep step_from(const RankedOffer& before, const RankedOffer& next, const ExchangeRates& rates) {
  GrowthStep step{next.offer, next.configuration.gpus(), main_rate(next.estimate.time) / main_rate(before.estimate.time), {}, {}};
  const double dearer = cost_of_work(next, rates) / cost_of_work(before, rates);
  if (std::isfinite(dearer)) step.cost_ratio = dearer;
  step.because = sentence(step, before.configuration.gpus(), words::Phrases::of(Language::english));
  return step;
}

}  // namespace

std::vector<Choice> choices(const std::vector<RankedOffer>& ranking, const ExchangeRates& rates) {
  std::vector<Choice> found;
  if (ranking.empty()) return found;
  found.push_back(choice_of("best_value", ranking.front(), rates));
  const std::pair<const char*, std::function<double(const RankedOffer&)>> roles[] = {
      {"cheapest_work", [&](const RankedOffer& one) { return work_usd(one, rates); }},
      {"fastest", speed_rank},
      {"fewest_gpus", [](const RankedOffer& one) { return static_cast<double>(one.configuration.gpus()); }},
      {"cheapest_hour", [&](const RankedOffer& one) { return hourly_usd(one, rates); }},
      {"cheapest_spot", [&](const RankedOffer& one) { return is_spot(one) ? cost_of_work(one, rates) : unknown; }}};
  for (const auto& [role, figure] : roles) {
    if (const RankedOffer* best = least(ranking, figure)) found.push_back(choice_of(role, *best, rates));
  }
  return found;
}

void add_break_even(Decision& decision, const Catalog& catalog) {
  for (Choice& choice : decision.choices) {
    if (choice.role != "cheapest_spot") continue;
    const auto ranked =
        std::find_if(decision.ranking.begin(), decision.ranking.end(), [&](const RankedOffer& one) { return one.offer == choice.offer; });
    const Configuration& box = ranked->configuration;
    const auto on_demand = on_demand_price(catalog, choice.offer);
    const bool rate_stated = box.price->terms && box.price->terms->interruptions_per_h;
    if (rate_stated || !on_demand || on_demand->currency != box.price->currency || !ranked->estimate.time_h) continue;
    const auto least = decide::break_even_h(*box.price, *on_demand, box.gpus_per_node, box.nodes, *ranked->estimate.time_h,
                                            decide::job_terms(decision.workload, ranked->estimate.memory));
    if (least && std::isfinite(*least)) choice.break_even_h = least;
  }
}

std::vector<GrowthStep> growth(const std::vector<RankedOffer>& ranking, const MinimalCluster& minimal, const ExchangeRates& rates) {
  std::map<int, const RankedOffer*> by_size;
  const RankedOffer* before = nullptr;
  for (const RankedOffer& ranked : ranking) {
    if (main_rate(ranked.estimate.time) > 0) by_size.emplace(ranked.configuration.gpus(), &ranked);
    if (ranked.offer == minimal.offer) before = &ranked;
  }
  if (!before || main_rate(before->estimate.time) <= 0) return {};
  std::vector<GrowthStep> steps = {{before->offer, minimal.gpus, {}, {}, minimal.because}};
  for (const auto& [gpus, ranked] : by_size) {
    if (gpus <= minimal.gpus || main_rate(ranked->estimate.time) <= main_rate(before->estimate.time)) continue;
    steps.push_back(step_from(*before, *ranked, rates));
    before = ranked;
  }
  return steps;
}

void say_in(Language language, Decision& decision) {
  const auto& phrases = words::Phrases::of(language);
  if (decision.minimal) decision.minimal->because = sentence(*decision.minimal, language);
  for (std::size_t at = 0; at < decision.growth.size(); ++at) {
    GrowthStep& step = decision.growth[at];
    step.because = at == 0 && decision.minimal ? decision.minimal->because : sentence(step, decision.growth[at == 0 ? 0 : at - 1].gpus, phrases);
  }
}

}  // namespace steelyard::rank
