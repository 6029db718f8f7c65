#include "rank/select.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "decide/decide.hpp"
#include "decide/offer_filter.hpp"
#include "explain/sensitivity.hpp"
#include "rank/on_demand.hpp"
#include "rank/portfolio.hpp"
#include "rank/rank.hpp"

namespace steelyard::rank {

namespace {

// Everything of a configuration that the first three steps look at: offers that agree in it differ only in price.
using MachineKey = std::tuple<std::string, const Board*, int, int, std::string, std::optional<bool>, std::optional<int>, std::string,
                              std::optional<double>, std::optional<int>, std::optional<double>, std::optional<bool>, std::optional<double>,
                              std::optional<double>, std::string, std::string, std::optional<double>, std::optional<double>, std::optional<double>>;

MachineKey key_of(const Configuration& c) {
  const InterNode& net = c.inter_node;
  return {c.gpu,
          c.board,
          c.gpus_per_node,
          c.nodes,
          c.intra_node,
          c.gpu_peer_access,
          c.nvlink_domain_gpus,
          net.kind,
          net.gbit_per_s_per_node,
          net.ports_per_node,
          net.gbit_per_s_per_port,
          net.gpudirect,
          c.host_memory_gib,
          c.shm_gib,
          c.os,
          c.driver,
          c.measured.samples_per_s,
          c.measured.requests_per_s,
          c.measured.tokens_per_s};
}

struct Choice {
  Configuration configuration;
  Estimate estimate;
};

class Selector {
 public:
  Selector(const Workload& workload, const Catalog& catalog, const rules::Book& book, decide::Detail detail, const decide::MeasuredBoards* measured,
           const Date& today)
      : workload_(workload), catalog_(catalog), book_(book), detail_(detail), measured_(measured), context_{today, {}} {}

  /// The best node count: accepted and within budget and deadline before open before rejected, then the cheapest.
  Choice choose(const Offer& offer) {
    std::optional<Choice> best;
    for (const int nodes : node_counts(workload_, offer)) {
      Configuration configuration = offer.configuration;
      configuration.nodes = nodes;
      Choice choice{configuration, machine(configuration).priced(configuration, context_)};
      if (!best || better(choice, *best)) best = std::move(choice);
      // More nodes cost more for the same work: the first count that is accepted is the one to rent.
      if (best->estimate.verdict == "accept") break;
      // Nothing is known of the network: no larger count can be accepted either.
      if (best->estimate.verdict == "unknown" && nodes > 1 && configuration.inter_node.kind.empty()) break;
    }
    return std::move(*best);
  }

 private:
  decide::MachineDecision& machine(const Configuration& configuration) {
    auto& known = machines_[key_of(configuration)];
    if (!known) known = std::make_unique<decide::MachineDecision>(workload_, configuration, catalog_.rates(), book_, detail_, measured_);
    return *known;
  }
  static int order(const std::string& verdict) { return verdict == "accept" ? 0 : verdict == "unknown" ? 1 : 2; }
  static bool better(const Choice& one, const Choice& other) { return order(one.estimate.verdict) < order(other.estimate.verdict); }

  const Workload& workload_;
  const Catalog& catalog_;
  const rules::Book& book_;
  decide::Detail detail_;
  const decide::MeasuredBoards* measured_;
  decide::PriceContext context_;
  std::map<MachineKey, std::unique_ptr<decide::MachineDecision>> machines_;
};

RejectedOffer turned_down(const Offer& offer, Choice choice) {
  Reason reason;
  if (!choice.estimate.reasons.empty()) {
    reason = choice.estimate.reasons.front();
  } else if (!choice.estimate.questions.empty()) {
    reason = {"undecided", choice.estimate.questions.front().ask, {}, {}, {}, {}};
  }
  return {offer.id, std::move(choice.configuration), std::move(reason)};
}

void add_questions(const Choice& choice, const std::string& offer, std::vector<Question>& questions) {
  constexpr std::size_t most_offers_named = 10;
  for (const Question& question : choice.estimate.questions) {
    auto known = std::find_if(questions.begin(), questions.end(), [&](const Question& one) { return one.field == question.field; });
    if (known == questions.end()) known = questions.insert(questions.end(), {question.ask, question.field, {}});
    if (known->decides.size() < most_offers_named) known->decides.push_back(offer);
  }
}

// The rule book's wish for the smallest cluster.
int first_gpus(const rules::Book& book) {
  const auto decision = book.decision("cost.first_gpus");
  return decision ? static_cast<int>(rules::Session(book).number(*decision).value_or(1)) : 1;
}

constexpr int most_gpus_without_limit = 1024;

}  // namespace

std::vector<int> node_counts(const Workload& workload, const Offer& offer) {
  const int per_node = std::max(1, offer.configuration.gpus_per_node);
  const int most_gpus = workload.constraints.gpus_max.value_or(most_gpus_without_limit);
  const int most = std::max(1, std::min(workload.constraints.nodes_max.value_or(most_gpus / per_node), most_gpus / per_node));
  const int least = std::max(offer.configuration.nodes, (workload.constraints.gpus_min.value_or(1) + per_node - 1) / per_node);
  std::vector<int> counts;
  for (int nodes = least; nodes <= most; nodes *= 2) counts.push_back(nodes);
  // A limit that is no power of two counts too: 3 nodes may do what 2 cannot.
  if (!counts.empty() && counts.back() != most && workload.constraints.nodes_max) counts.push_back(most);
  return counts.empty() ? std::vector<int>{least} : counts;
}

RankedOffer decide_offer(const Workload& workload, const Offer& offer, const Catalog& catalog, const rules::Book& book, const Date& today,
                         const decide::MeasuredBoards* measured) {
  RankedOffer ranked;
  ranked.offer = offer.id;
  if (auto excluded = decide::excluded(workload, offer, book)) {
    ranked.configuration = offer.configuration;
    ranked.estimate = std::move(*excluded);
    return ranked;
  }
  ranked.configuration = Selector(workload, catalog, book, decide::Detail::verdict, measured, today).choose(offer).configuration;
  ranked.estimate = decide::estimate(workload, ranked.configuration, catalog.rates(), book, decide::Detail::trace, measured,
                                     {today, on_demand_price(catalog, offer.id)});
  return ranked;
}

Decision select_cluster(const Workload& workload, const Catalog& catalog, const rules::Book& book, const Date& today, std::size_t trace_top,
                        const decide::MeasuredBoards* measured) {
  Decision decision;
  decision.workload = workload;
  decision.offers = catalog.offers().size();
  Selector selector(workload, catalog, book, decide::Detail::verdict, measured, today);
  for (const Offer& offer : catalog.offers()) {
    if (auto excluded = decide::excluded(workload, offer, book)) {
      decision.rejected.push_back(turned_down(offer, {offer.configuration, std::move(*excluded)}));
      continue;
    }
    Choice choice = selector.choose(offer);
    if (choice.estimate.verdict == "accept") {
      decision.ranking.push_back({0, offer.id, std::move(choice.configuration), std::move(choice.estimate), {}});
    } else if (choice.estimate.verdict == "reject") {
      decision.rejected.push_back(turned_down(offer, std::move(choice)));
    } else {
      add_questions(choice, offer.id, decision.questions);
      decision.undecided.push_back(turned_down(offer, std::move(choice)));
    }
  }
  sort_ranking(decision.ranking, catalog.rates());
  decision.pareto = mark_dominated(decision.ranking, catalog.rates());
  decision.minimal = minimal_cluster(decision.ranking, first_gpus(book));
  decision.choices = choices(decision.ranking, catalog.rates());
  if (decision.minimal) decision.growth = growth(decision.ranking, *decision.minimal, catalog.rates());
  if (trace_top > 0) add_break_even(decision, catalog);
  if (trace_top > 0) decision.sensitivity = explain::sensitivity(decision.ranking, catalog.rates());
  for (std::size_t index = 0; index < std::min(trace_top, decision.ranking.size()); ++index) {
    RankedOffer& ranked = decision.ranking[index];
    ranked.estimate = decide::estimate(workload, ranked.configuration, catalog.rates(), book, decide::Detail::trace, measured,
                                       {today, on_demand_price(catalog, ranked.offer)});
  }
  if (const RankedOffer* best = decision.best()) {
    decision.task_type = best->estimate.task_type;
    decision.tier = best->estimate.tier;
    decision.csi = best->estimate.csi;
  }
  return decision;
}

}  // namespace steelyard::rank
