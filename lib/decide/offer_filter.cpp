#include "decide/offer_filter.hpp"

#include <algorithm>

#include "catalog/markets.hpp"
#include "core/text.hpp"
#include "decide/steps.hpp"

namespace steelyard::decide {

namespace {

bool same_name(const std::string& one, const std::string& other) { return name_key(one) == name_key(other); }

bool names_board(const std::vector<std::string>& names, const Board& board) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const auto is = [&](const std::string& other) { return same_name(name, other); };
    return is(board.id) || is(board.chip) || is(board.marketing_name) || std::any_of(board.aliases.begin(), board.aliases.end(), is);
  });
}

bool listed(const std::vector<std::string>& words, const std::string& word) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& one) { return same_name(one, word); });
}

// Only where the job names markets; an unknown market has no fact.
void add_market(const Constraints& wanted, const Offer& offer, std::string_view region, Value::Map& facts) {
  if (wanted.markets.empty()) return;
  const catalog::Markets& markets = catalog::Markets::embedded();
  Value names = Value::list();
  for (const std::string& name : wanted.markets) names.push_back(markets.named(name).value_or(name));
  facts.emplace_back("markets", std::move(names));
  facts.emplace_back("market_region", std::string(region));
  if (const auto market = markets.of_region(region, offer.provider)) facts.emplace_back("market", *market);
}

// Facts of an offer that only rules about offers look at.
Value offer_facts(const Workload& workload, const Offer& offer, std::string_view region) {
  const Constraints& wanted = workload.constraints;
  const Board* board = offer.configuration.board;
  const auto& price = offer.configuration.price;
  Value::Map facts;
  facts.reserve(13);
  facts.emplace_back("provider", offer.provider);
  facts.emplace_back("region", std::string(region));
  facts.emplace_back("gpu", offer.configuration.gpu);
  facts.emplace_back("board_known", board != nullptr);
  facts.emplace_back("gpu_wanted", wanted.gpu_names.empty() || (board && names_board(wanted.gpu_names, *board)) ||
                                       listed(wanted.gpu_names, offer.configuration.gpu));
  facts.emplace_back("provider_wanted", wanted.providers.empty() || listed(wanted.providers, offer.provider));
  facts.emplace_back("purchase", price ? price->purchase : std::string("on_demand"));
  facts.emplace_back("spot_wish", wanted.spot);
  facts.emplace_back("gpus_per_node", offer.configuration.gpus_per_node);
  if (wanted.gpus_max) facts.emplace_back("gpus_max", *wanted.gpus_max);
  add_market(wanted, offer, region, facts);
  Value all;
  all["offer"] = std::move(facts);
  return all;
}

}  // namespace

OfferFilter::OfferFilter(const Workload& workload, const rules::Book& book)
    : workload_(workload), session_(book), verdict_(book.decision("offer.verdict")) {}

std::optional<Estimate> OfferFilter::excluded(const Offer& offer, std::string_view region) {
  if (!verdict_) return std::nullopt;
  session_.reset(offer_facts(workload_, offer, region));
  if (certainly_clean(session_, *verdict_)) return std::nullopt;
  Estimate estimate;
  run_step(session_, "offer", Detail::trace, estimate);
  // Traces know the four steps: what an offer is belongs to the first.
  for (TraceStep& step : estimate.trace) step.step = "task";
  conclude(estimate, session_.book().language());
  if (estimate.verdict == "accept") return std::nullopt;
  return estimate;
}

std::optional<Estimate> excluded(const Workload& workload, const Offer& offer, const rules::Book& book) {
  return OfferFilter(workload, book).excluded(offer, offer.region);
}

}  // namespace steelyard::decide
