#include "rank/select.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "decide/offer_filter.hpp"
#include "explain/sensitivity.hpp"
#include "rank/bulk.hpp"
#include "rank/on_demand.hpp"
#include "rank/order.hpp"
#include "rank/portfolio.hpp"
#include "rank/rank.hpp"

namespace steelyard::rank {

namespace {

// The rule book's wish for the smallest cluster.
int first_gpus(const rules::Book& book) {
  const auto decision = book.decision("cost.first_gpus");
  return decision ? static_cast<int>(rules::Session(book).number(*decision).value_or(1)) : 1;
}

// Collects what is not accepted, in the order of the catalog: counts of all, and of each code the first offers and one of each kind.
class TurnedDown {
 public:
  TurnedDown(const Bulk& bulk, const OfferList& offers, std::size_t keep, Decision& decision)
      : bulk_(bulk), offers_(offers), keep_(keep), decision_(decision), counts_of_(bulk.outcomes().size()), done_(bulk.outcomes().size()) {}

  void add(std::size_t row) {
    const std::uint32_t number = bulk_.outcome_number(row);
    const Outcome& outcome = bulk_.outcomes()[number];
    ++counts_of_[number];
    if (done_[number]) return;
    const bool rejected = outcome.verdict == Outcome::Verdict::reject;
    std::size_t& written = written_[rejected ? outcome.reason.code : std::string()];
    const bool first = first_of_kind_.insert({outcome.reason.code, outcome.kind}).second;
    if (written < keep_ || first) {
      (rejected ? decision_.rejected : decision_.undecided).push_back({std::string(offers_.id(row)), bulk_.configuration(row), outcome.reason});
      ++written;
    }
    const bool asked = rejected || ask(outcome, row);
    done_[number] = asked && written >= keep_;
  }

  void finish() {
    std::vector<std::pair<std::string, std::size_t>>& by_code = decision_.counts.rejected_by_code;
    for (std::size_t number = 0; number < counts_of_.size(); ++number) {
      const Outcome& outcome = bulk_.outcomes()[number];
      const std::size_t count = counts_of_[number];
      if (count == 0) continue;
      if (outcome.verdict != Outcome::Verdict::reject) {
        decision_.counts.undecided += count;
        continue;
      }
      decision_.counts.rejected += count;
      const auto known = std::find_if(by_code.begin(), by_code.end(), [&](const auto& one) { return one.first == outcome.reason.code; });
      (known == by_code.end() ? by_code.emplace_back(outcome.reason.code, 0) : *known).second += count;
    }
    std::stable_sort(by_code.begin(), by_code.end(), [](const auto& one, const auto& other) { return one.second > other.second; });
  }

 private:
  // Names the offer where it is asked; true where enough of them are named.
  bool ask(const Outcome& outcome, std::size_t row) {
    constexpr std::size_t most_offers_named = 10;
    bool enough = true;
    for (const Question& question : outcome.questions) {
      std::vector<Question>& all = decision_.questions;
      auto known = std::find_if(all.begin(), all.end(), [&](const Question& one) { return one.field == question.field; });
      if (known == all.end()) known = all.insert(all.end(), {question.ask, question.field, {}});
      if (known->decides.size() < most_offers_named) known->decides.emplace_back(offers_.id(row));
      enough = enough && known->decides.size() >= most_offers_named;
    }
    return enough;
  }

  const Bulk& bulk_;
  const OfferList& offers_;
  std::size_t keep_;
  Decision& decision_;
  std::vector<std::size_t> counts_of_;  // by outcome
  std::vector<bool> done_;              // by outcome: nothing is left to write of it
  std::map<std::string, std::size_t> written_;
  std::set<std::pair<std::string, OfferList::Kind>> first_of_kind_;
};

}  // namespace

RankedOffer decide_offer(const Workload& workload, const Offer& offer, const Catalog& catalog, const rules::Book& book, const Date& today,
                         const decide::MeasuredBoards* measured) {
  RankedOffer ranked;
  ranked.offer = offer.id;
  ranked.configuration = offer.configuration;
  if (auto excluded = decide::excluded(workload, offer, book)) {
    ranked.estimate = std::move(*excluded);
    return ranked;
  }
  OfferList alone;
  alone.push_back(offer);
  const Catalog one = catalog.with_offers(std::move(alone));
  ranked.configuration = Bulk(workload, one, book, today, measured).configuration(0);
  ranked.estimate = decide::estimate(workload, ranked.configuration, catalog.rates(), book, decide::Detail::trace, measured,
                                     {today, on_demand_price(catalog, offer.id)});
  return ranked;
}

namespace {

/// One answer in the making.
class Selection {
 public:
  Selection(const Workload& workload, const Catalog& catalog, const rules::Book& book, const RecommendOptions& options,
            const decide::MeasuredBoards* measured)
      : catalog_(catalog), book_(book), options_(options), measured_(measured), bulk_(workload, catalog, book, options.today, measured) {
    decision_.workload = workload;
    decision_.offers = catalog.offers().size();
  }

  Decision run() {
    rank();
    compare();
    write_out_ranking();
    if (const RankedOffer* best = decision_.best()) {
      decision_.task_type = best->estimate.task_type;
      decision_.tier = best->estimate.tier;
      decision_.csi = best->estimate.csi;
    }
    return std::move(decision_);
  }

 private:
  bool traces() const { return options_.trace_top > 0; }

  // Counts all offers and brings the head of the ranking into order. Whatever is best in any respect is the first of its kind of machine: these and
  // the head of the order say all that is said of the ranking.
  void rank() {
    const OfferList& offers = catalog_.offers();
    Order order(bulk_, offers, catalog_.rates());
    TurnedDown turned_down(bulk_, offers, options_.keep, decision_);
    for (std::size_t row = 0; row < offers.size(); ++row) {
      if (bulk_.outcome(row).verdict == Outcome::Verdict::accept) {
        order.add(row);
      } else {
        turned_down.add(row);
      }
    }
    turned_down.finish();
    decision_.counts.accepted = order.size();
    const std::size_t head = std::max(options_.keep, traces() ? explain::most_candidates : 1);
    for (const std::size_t row : order.head_and_firsts(head)) decision_.ranking.push_back(bulk_.figures(row));
    sort_ranking(decision_.ranking, catalog_.rates());
  }

  // What is said of the ranking as a whole.
  void compare() {
    const ExchangeRates& rates = catalog_.rates();
    decision_.pareto = mark_dominated(decision_.ranking, rates);
    decision_.minimal = minimal_cluster(decision_.ranking, first_gpus(book_));
    decision_.choices = choices(decision_.ranking, rates);
    if (decision_.minimal) decision_.growth = growth(decision_.ranking, *decision_.minimal, rates);
    if (!traces()) return;
    for (const Choice& choice : decision_.choices) {
      if (choice.role != "cheapest_spot") continue;
      write_out(*std::find_if(decision_.ranking.begin(), decision_.ranking.end(), [&](const RankedOffer& one) { return one.offer == choice.offer; }));
    }
    add_break_even(decision_, catalog_);
    decision_.sensitivity = explain::sensitivity(decision_.ranking, rates);
  }

  void write_out(RankedOffer& ranked) { ranked.estimate = bulk_.priced(ranked.configuration); }

  void write_out_ranking() {
    auto& ranking = decision_.ranking;
    if (ranking.size() > options_.keep) ranking.resize(std::max<std::size_t>(options_.keep, 1));
    for (std::size_t index = 0; index < ranking.size(); ++index) {
      RankedOffer& ranked = ranking[index];
      if (index >= options_.trace_top) {
        write_out(ranked);
      } else {
        ranked.estimate = decide::estimate(decision_.workload, ranked.configuration, catalog_.rates(), book_, decide::Detail::trace, measured_,
                                           {options_.today, on_demand_price(catalog_, ranked.offer)});
      }
    }
  }

  const Catalog& catalog_;
  const rules::Book& book_;
  const RecommendOptions& options_;
  const decide::MeasuredBoards* measured_;
  Bulk bulk_;
  Decision decision_;
};

}  // namespace

Decision select_cluster(const Workload& workload, const Catalog& catalog, const rules::Book& book, const RecommendOptions& options,
                        const decide::MeasuredBoards* measured) {
  return Selection(workload, catalog, book, options, measured).run();
}

}  // namespace steelyard::rank
