#include "explain/compare.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "rank/rank.hpp"
#include "words/phrases.hpp"

namespace steelyard::explain {

namespace {

const char* const steps[] = {"task", "network", "stack", "cost"};

// The rules of one step that decided, in the trace's order, with their sentences.
std::string words_of(const Estimate& estimate, const std::string& step) {
  std::string words;
  for (const TraceStep& one : estimate.trace) {
    if (one.step == step) words += (words.empty() ? "" : "; ") + one.because;
  }
  return words;
}

std::vector<std::string> rules_of(const Estimate& estimate, const std::string& step) {
  std::vector<std::string> rules;
  for (const TraceStep& one : estimate.trace) {
    if (one.step == step) rules.push_back(one.rule);
  }
  return rules;
}

std::optional<double> finite(double figure) { return std::isfinite(figure) && figure != 0 ? std::optional(figure) : std::nullopt; }

// Where the price of either states terms: what the cost is made of. The other's then is all compute.
void add_parts(std::vector<ComparedTerm>& terms, const Estimate& one, const Estimate& other, const ExchangeRates& rates) {
  if (!one.cost_parts && !other.cost_parts) return;
  const auto hours = [](const Estimate& estimate) { return estimate.cost_parts ? std::optional(estimate.cost_parts->billed_h) : estimate.time_h; };
  terms.push_back({"billed", "h", hours(one), hours(other)});
  const auto part = [&](const Estimate& estimate, double CostParts::*which) -> std::optional<double> {
    if (!estimate.cost) return std::nullopt;
    const bool compute = which == &CostParts::compute;
    const double amount = estimate.cost_parts ? *estimate.cost_parts.*which : compute ? estimate.cost->amount : 0;
    const auto usd = rates.convert({amount, estimate.cost->currency}, "USD");
    return usd ? std::optional(usd->amount) : std::nullopt;
  };
  const std::pair<const char*, double CostParts::*> parts[] = {{"compute", &CostParts::compute},
                                                               {"interruptions", &CostParts::interruption},
                                                               {"unused", &CostParts::unused},
                                                               {"storage", &CostParts::storage},
                                                               {"egress", &CostParts::egress}};
  for (const auto& [name, which] : parts) terms.push_back({name, "USD", part(one, which), part(other, which)});
}

std::vector<ComparedTerm> terms_of(const RankedOffer& one, const RankedOffer& other, const ExchangeRates& rates) {
  const Estimate &a = one.estimate, &b = other.estimate;
  const auto usd = [&](const std::optional<Money>& money) {
    const auto converted = money ? rates.convert(*money, "USD") : std::nullopt;
    return converted ? std::optional(converted->amount) : std::nullopt;
  };
  const auto unit = [&](const Estimate& estimate) { return estimate.unit_cost ? usd(estimate.unit_cost->money) : std::nullopt; };
  std::vector<ComparedTerm> terms = {
      {"gpus", "", one.configuration.gpus(), other.configuration.gpus()},
      {"price_per_hour", "USD", finite(rank::hourly_usd(one, rates)), finite(rank::hourly_usd(other, rates))},
      {"peak", "TFLOPS per GPU", a.effective.peak_tflops, b.effective.peak_tflops},
      {"interconnect", "share", a.effective.interconnect, b.effective.interconnect},
      {"memory", "share", a.effective.memory, b.effective.memory},
      {"software", "share", a.effective.software, b.effective.software},
      {"effective", "TFLOPS per GPU", a.effective.tflops, b.effective.tflops},
      {"unit_cost", "USD per effective TFLOPS-hour", unit(a), unit(b)},
      {"rate", "of work per second", finite(rank::main_rate(a.time)), finite(rank::main_rate(b.time))},
      {"time", "h", a.time_h, b.time_h},
      {"cost", "USD", usd(a.cost), usd(b.cost)},
  };
  add_parts(terms, a, b, rates);
  return terms;
}

void judge(Comparison& comparison, const ExchangeRates& rates, const words::Phrases& phrases) {
  std::vector<RankedOffer> accepted;
  for (const RankedOffer* offer : {&comparison.one, &comparison.other}) {
    if (offer->estimate.verdict == "accept") accepted.push_back(*offer);
  }
  if (accepted.empty()) {
    comparison.because =
        phrases.say("neither is accepted: {} and {}", phrases.say(comparison.one.estimate.verdict), phrases.say(comparison.other.estimate.verdict));
    return;
  }
  rank::sort_ranking(accepted, rates);
  comparison.better = accepted.front().offer;
  if (accepted.size() == 1) {
    comparison.because = phrases.say("the other is not accepted");
    return;
  }
  const double ratio = rank::cost_of_work(accepted[1], rates) / rank::cost_of_work(accepted[0], rates);
  comparison.because = std::isfinite(ratio) ? phrases.say("the same work costs {} times as much on {}", format_rounded(ratio, 3), accepted[1].offer)
                                            : phrases.say("of the other, price or speed is not known");
}

}  // namespace

Comparison compare(RankedOffer one, RankedOffer other, const ExchangeRates& rates, Language language) {
  Comparison comparison;
  for (const char* step : steps) {
    ComparedStep compared{step, words_of(one.estimate, step), words_of(other.estimate, step), false};
    if (compared.one.empty() && compared.other.empty()) continue;
    compared.differs = rules_of(one.estimate, step) != rules_of(other.estimate, step);
    if (compared.differs && comparison.first_difference.empty()) comparison.first_difference = step;
    comparison.steps.push_back(std::move(compared));
  }
  comparison.terms = terms_of(one, other, rates);
  comparison.one = std::move(one);
  comparison.other = std::move(other);
  judge(comparison, rates, words::Phrases::of(language));
  return comparison;
}

}  // namespace steelyard::explain
