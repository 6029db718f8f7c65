#include "explain/what_if.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "decide/decide.hpp"
#include "decide/offer_filter.hpp"
#include "explain/levers.hpp"
#include "rank/rank.hpp"

namespace steelyard::explain {

namespace {

/// What the engine says of changed cases.
struct Engine {
  const ExchangeRates& rates;
  const rules::Book& book;
  const decide::MeasuredBoards* measured;

  Estimate estimate(const Case& one) const {
    return decide::estimate(one.workload, one.configuration, rates, book, decide::Detail::verdict, measured);
  }
};

/// Looks for the smallest sets of levers that reach a goal: single ones, and pairs where no single one does.
class Search {
 public:
  using Goal = std::function<bool(const Case&)>;

  Search(std::string to, Case now, std::vector<Lever> levers, Goal goal)
      : to_(std::move(to)), now_(std::move(now)), levers_(std::move(levers)), goal_(std::move(goal)) {}

  std::vector<WhatIf> run() const {
    std::vector<WhatIf> found = singles();
    if (found.empty()) found = pairs();
    return found;
  }

  // A lever of a field that was found already (fewer nodes, where more do it too) is not asked again.
  std::vector<WhatIf> singles() const {
    std::vector<WhatIf> found;
    std::set<std::string> fields;
    for (const Lever& lever : levers_) {
      if (fields.count(lever.field) > 0) continue;
      if (auto change = single(now_, lever)) {
        fields.insert(lever.field);
        found.push_back({to_, {std::move(*change)}, true});
      }
    }
    return found;
  }

 private:
  bool reached_with(Case base, const Lever& lever, const Value& to) const {
    lever.set(base, to);
    return goal_(base);
  }

  std::optional<WhatIf::Change> single(const Case& base, const Lever& lever) const {
    Value last = lever.get(base);
    for (const Value& step : lever.steps) {
      if (reached_with(base, lever, step)) return WhatIf::Change{lever.field, lever.get(base), refined(base, lever, last, step)};
      last = step;
    }
    return std::nullopt;
  }

  // The smallest change between one that fails and one that works.
  Value refined(const Case& base, const Lever& lever, const Value& fails, const Value& works) const {
    if (!fails.is_number() || !(lever.whole_numbers || lever.real_numbers)) return works;
    double low = fails.as_number(), high = works.as_number();
    const auto close = [&] { return lever.whole_numbers ? std::abs(high - low) <= 1 : std::abs(high - low) <= 1e-4 * std::abs(high); };
    while (!close()) {
      const double middle = lever.whole_numbers ? std::floor((low + high) / 2) : (low + high) / 2;
      const Value value = lever.whole_numbers ? Value(static_cast<int>(middle)) : Value(middle);
      (reached_with(base, lever, value) ? high : low) = middle;
    }
    return lever.whole_numbers ? Value(static_cast<int>(high)) : Value(high);
  }

  std::vector<WhatIf> pairs() const {
    for (std::size_t one = 0; one < levers_.size(); ++one) {
      for (const Value& step : levers_[one].steps) {
        Case base = now_;
        levers_[one].set(base, step);
        for (std::size_t other = one + 1; other < levers_.size(); ++other) {
          if (levers_[other].field == levers_[one].field) continue;
          if (auto change = single(base, levers_[other])) return {pair(levers_[one], step, levers_[other], std::move(*change))};
        }
      }
    }
    return {};
  }

  // The second change was refined under the first: its value was not tried alone, and may do without the first.
  WhatIf pair(const Lever& one, const Value& step, const Lever& other, WhatIf::Change change) const {
    if (reached_with(now_, other, change.to)) return {to_, {std::move(change)}, true};
    return {to_, {{one.field, one.get(now_), step}, std::move(change)}, true};
  }

  std::string to_;
  Case now_;
  std::vector<Lever> levers_;
  Goal goal_;
};

}  // namespace

std::vector<WhatIf> to_accept(const Workload& workload, const Configuration& configuration, const ExchangeRates& rates, const rules::Book& book,
                              const decide::MeasuredBoards* measured) {
  const Engine engine{rates, book, measured};
  const Case now{workload, configuration};
  return Search("accept", now, levers_to_accept(now), [&](const Case& one) { return engine.estimate(one).verdict == "accept"; }).run();
}

std::vector<WhatIf> to_accept(const Workload& workload, const Offer& offer, const Configuration& configuration, const ExchangeRates& rates,
                              const rules::Book& book, const decide::MeasuredBoards* measured) {
  const Engine engine{rates, book, measured};
  const Case now{workload, configuration};
  std::vector<Lever> levers = levers_of_wishes(now, offer);
  for (Lever& lever : levers_to_accept(now)) levers.push_back(std::move(lever));
  return Search("accept", now, std::move(levers),
                [&](const Case& one) {
                  Offer changed = offer;
                  changed.configuration = one.configuration;
                  return !decide::excluded(one.workload, changed, book) && engine.estimate(one).verdict == "accept";
                })
      .run();
}

namespace {

/// Is an offer of a ranking ahead of the others when it is changed.
class Race {
 public:
  Race(const Decision& decision, const RankedOffer& own, const Engine& engine) : own_(own), engine_(engine) {
    first_ = &decision.ranking.front();
    first_of_board_ = &own;
    for (const RankedOffer& ranked : decision.ranking) {
      if (ranked.configuration.board == own.configuration.board && ranked.rank < first_of_board_->rank) first_of_board_ = &ranked;
    }
  }

  bool won_by(const Case& one) const {
    // With the boards of the job narrowed to its own, only those are in the race.
    const RankedOffer& rival = one.workload.constraints.gpu_names == std::vector<std::string>{board()} ? *first_of_board_ : *first_;
    if (&rival == &own_) return true;
    RankedOffer changed = own_;
    changed.configuration = one.configuration;
    changed.estimate = engine_.estimate(one);
    if (changed.estimate.verdict != "accept") return false;
    std::vector<RankedOffer> both = {rival, std::move(changed)};
    rank::sort_ranking(both, engine_.rates);
    return both.front().offer == own_.offer;
  }

  /// Only this board.
  Lever board_lever() const {
    Lever lever{"workload.constraints.gpus.names",
                [](const Case& one) {
                  Value names = Value::list();
                  for (const std::string& name : one.workload.constraints.gpu_names) names.push_back(name);
                  return names;
                },
                [id = board()](Case& one, const Value&) { one.workload.constraints.gpu_names = {id}; },
                {},
                false,
                false};
    Value only = Value::list();
    only.push_back(board());
    if (own_.configuration.board) lever.steps.push_back(std::move(only));
    return lever;
  }

 private:
  std::string board() const { return own_.configuration.board ? own_.configuration.board->id : std::string(); }

  const RankedOffer& own_;
  const Engine& engine_;
  const RankedOffer *first_ = nullptr, *first_of_board_ = nullptr;
};

// "aws/us-east-1/p5.48xlarge/spot" without the purchase.
std::string machine_of(const std::string& offer) {
  for (const std::string purchase : {"/spot", "/reserved"}) {
    if (offer.ends_with(purchase)) return offer.substr(0, offer.size() - purchase.size());
  }
  return offer;
}

std::vector<Price> purchases_of(const Decision& decision, const std::string& offer) {
  std::vector<Price> prices;
  const auto add = [&](const std::string& id, const Configuration& configuration) {
    if (id != offer && machine_of(id) == machine_of(offer) && configuration.price) prices.push_back(*configuration.price);
  };
  for (const RankedOffer& ranked : decision.ranking) add(ranked.offer, ranked.configuration);
  for (const RejectedOffer& rejected : decision.rejected) add(rejected.offer, rejected.configuration);
  return prices;
}

}  // namespace

std::vector<WhatIf> to_win(const Workload& workload, const Decision& decision, const std::string& offer, const ExchangeRates& rates,
                           const rules::Book& book, const decide::MeasuredBoards* measured) {
  const auto own = std::find_if(decision.ranking.begin(), decision.ranking.end(), [&](const RankedOffer& ranked) { return ranked.offer == offer; });
  if (own == decision.ranking.end() || own->rank == 1) return {};
  const Engine engine{rates, book, measured};
  const Race race(decision, *own, engine);
  const Case now{workload, own->configuration};
  std::vector<Lever> levers = levers_to_win(now, purchases_of(decision, offer), own->estimate.time_h.has_value());
  const Search::Goal won = [&](const Case& one) { return race.won_by(one); };
  auto found = Search("win", now, levers, won).singles();
  if (!found.empty()) return found;
  // No change of the machine makes it the best of all: what makes it the best of its own board, alone or with another change?
  levers.insert(levers.begin(), race.board_lever());
  return Search("win", now, std::move(levers), won).run();
}

}  // namespace steelyard::explain
