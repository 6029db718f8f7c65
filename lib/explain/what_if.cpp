#include "explain/what_if.hpp"

#include <cmath>
#include <functional>
#include <set>

#include "decide/decide.hpp"
#include "rank/rank.hpp"

namespace steelyard::explain {

namespace {

// A job on a machine: what a lever changes.
struct Case {
  Workload workload;
  Configuration configuration;
};

/// One thing that can be changed. Levers with steps run through values from the smallest change to the largest; `refine` then finds the smallest
/// value between the last that fails and the first that works, where there is anything between.
struct Lever {
  std::string field;
  std::function<Value(const Case&)> get;
  std::function<void(Case&, const Value&)> set;
  std::vector<Value> steps;
  bool whole_numbers = false;  // refine by bisection over integers
  bool real_numbers = false;   // refine by bisection over reals
};

Lever nodes_lever(const Case& now) {
  Lever lever{"configuration.nodes",
              [](const Case& one) { return Value(one.configuration.nodes); },
              [](Case& one, const Value& to) { one.configuration.nodes = static_cast<int>(to.as_number()); },
              {},
              true,
              false};
  for (int nodes = now.configuration.nodes * 2; nodes <= 1024 && nodes * now.configuration.gpus_per_node <= 4096; nodes *= 2)
    lever.steps.emplace_back(nodes);
  return lever;
}

Lever price_lever(const Case& now) {
  Lever lever{"configuration.price.amount",
              [](const Case& one) { return Value(one.configuration.price->amount); },
              [](Case& one, const Value& to) { one.configuration.price->amount = to.as_number(); },
              {},
              false,
              true};
  for (double factor = 0.5; factor > 1e-4; factor *= 0.5) lever.steps.emplace_back(now.configuration.price->amount * factor);
  return lever;
}

template <class Set>
Lever word_lever(std::string field, Value from, std::vector<Value> steps, Set set) {
  return {std::move(field), [from](const Case&) { return from; }, set, std::move(steps), false, false};
}

Value word_or_null(const std::string& word) { return word.empty() ? Value() : Value(word); }
Value figure_or_null(const std::optional<double>& figure) { return figure ? Value(*figure) : Value(); }

void add_network_levers(const Case& now, std::vector<Lever>& levers) {
  const InterNode& network = now.configuration.inter_node;
  if (now.configuration.nodes < 2) return;
  if (network.kind != "infiniband" && network.kind != "roce") {
    levers.push_back(word_lever("configuration.inter_node.kind", word_or_null(network.kind), {Value("roce")},
                                [](Case& one, const Value& to) { one.configuration.inter_node.kind = to.as_string(); }));
  }
  std::vector<Value> rates;
  for (const double rate : {100.0, 200.0, 400.0, 800.0, 1600.0, 3200.0}) {
    if (rate > network.gbit_per_s_per_node.value_or(0)) rates.emplace_back(rate);
  }
  levers.push_back(word_lever("configuration.inter_node.gbit_per_s_per_node", figure_or_null(network.gbit_per_s_per_node), rates,
                              [](Case& one, const Value& to) { one.configuration.inter_node.gbit_per_s_per_node = to.as_number(); }));
}

void add_job_levers(const Case& now, std::vector<Lever>& levers) {
  const Workload& job = now.workload;
  if (job.activation_checkpointing != "full" && !job.method.empty()) {
    levers.push_back(word_lever("workload.activation_checkpointing", word_or_null(job.activation_checkpointing), {Value("full")},
                                [](Case& one, const Value& to) { one.workload.activation_checkpointing = to.as_string(); }));
  }
  if (job.batch.micro.value_or(1) > 1) {
    levers.push_back(word_lever("workload.batch.micro", Value(*job.batch.micro), {Value(1)},
                                [](Case& one, const Value& to) { one.workload.batch.micro = static_cast<int>(to.as_number()); }));
  }
  if (!job.method.empty() && job.offload != "parameters") {
    levers.push_back(word_lever("workload.offload", word_or_null(job.offload), {Value("optimizer"), Value("parameters")},
                                [](Case& one, const Value& to) { one.workload.offload = to.as_string(); }));
  }
  if (job.constraints.deadline_h) {
    std::vector<Value> days;
    for (double factor = 2; factor <= 1024; factor *= 2) days.emplace_back(std::to_string(*job.constraints.deadline_h * factor) + " h");
    levers.push_back(word_lever("workload.constraints.deadline", Value(std::to_string(*job.constraints.deadline_h) + " h"), days,
                                [](Case& one, const Value& to) { one.workload.constraints.deadline_h = std::stod(to.as_string()); }));
  }
}

void add_host_levers(const Case& now, std::vector<Lever>& levers) {
  const Configuration& box = now.configuration;
  if (box.shm_gib) {
    levers.push_back(word_lever("configuration.shm_gib", Value(*box.shm_gib), {Value(16.0), Value(64.0)},
                                [](Case& one, const Value& to) { one.configuration.shm_gib = to.as_number(); }));
  }
  if (box.host_memory_gib) {
    std::vector<Value> sizes;
    for (const double factor : {2.0, 4.0, 8.0}) sizes.emplace_back(*box.host_memory_gib * factor);
    levers.push_back(word_lever("configuration.host_memory_gib", Value(*box.host_memory_gib), sizes,
                                [](Case& one, const Value& to) { one.configuration.host_memory_gib = to.as_number(); }));
  }
  if (box.os != "linux" && !box.os.empty()) {
    levers.push_back(
        word_lever("configuration.os", Value(box.os), {Value("linux")}, [](Case& one, const Value& to) { one.configuration.os = to.as_string(); }));
  }
}

std::vector<Lever> levers_of(const Case& now) {
  std::vector<Lever> levers;
  if (now.configuration.price) levers.push_back(price_lever(now));
  add_network_levers(now, levers);
  levers.push_back(nodes_lever(now));
  add_host_levers(now, levers);
  add_job_levers(now, levers);
  return levers;
}

class Search {
 public:
  Search(Case now, const ExchangeRates& rates, const rules::Book& book, const decide::MeasuredBoards* measured)
      : now_(std::move(now)), rates_(rates), book_(book), measured_(measured) {}

  std::vector<WhatIf> run() {
    const std::vector<Lever> levers = levers_of(now_);
    std::vector<WhatIf> found;
    std::set<std::string> done;
    for (const Lever& lever : levers) {
      if (auto change = single(now_, lever)) {
        done.insert(lever.field);
        found.push_back({"accept", {*change}, true});
      }
    }
    if (found.empty()) pairs(levers, found);
    return found;
  }

 private:
  bool accepted(const Case& one) const {
    return decide::estimate(one.workload, one.configuration, rates_, book_, decide::Detail::verdict, measured_).verdict == "accept";
  }
  bool accepted_with(Case base, const Lever& lever, const Value& to) const {
    lever.set(base, to);
    return accepted(base);
  }

  std::optional<WhatIf::Change> single(const Case& base, const Lever& lever) const {
    Value last = lever.get(base);
    for (const Value& step : lever.steps) {
      if (accepted_with(base, lever, step)) return WhatIf::Change{lever.field, lever.get(base), refined(base, lever, last, step)};
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
      (accepted_with(base, lever, value) ? high : low) = middle;
    }
    return lever.whole_numbers ? Value(static_cast<int>(high)) : Value(high);
  }

  // No single change does it, so that any pair that does is minimal.
  void pairs(const std::vector<Lever>& levers, std::vector<WhatIf>& found) const {
    for (std::size_t one = 0; one < levers.size(); ++one) {
      for (const Value& step : levers[one].steps) {
        Case base = now_;
        levers[one].set(base, step);
        for (std::size_t other = one + 1; other < levers.size(); ++other) {
          const auto change = single(base, levers[other]);
          if (!change) continue;
          found.push_back({"accept", {{levers[one].field, levers[one].get(now_), step}, *change}, true});
          return;
        }
      }
    }
  }

  Case now_;
  const ExchangeRates& rates_;
  const rules::Book& book_;
  const decide::MeasuredBoards* measured_;
};

}  // namespace

std::vector<WhatIf> to_accept(const Workload& workload, const Configuration& configuration, const ExchangeRates& rates, const rules::Book& book,
                              const decide::MeasuredBoards* measured) {
  return Search({workload, configuration}, rates, book, measured).run();
}

namespace {

constexpr const char* price_field = "configuration.price.amount";

/// At which price one offer of a ranking becomes its first.
class PriceToWin {
 public:
  PriceToWin(const Workload& workload, const RankedOffer& own, const RankedOffer& first, const ExchangeRates& rates, const rules::Book& book,
             const decide::MeasuredBoards* measured)
      : workload_(workload), own_(own), first_(first), rates_(rates), book_(book), measured_(measured) {}

  /// Empty where no price that the rules take for one does it.
  std::optional<double> find() const {
    const double price = own_.configuration.price->amount;
    double low = price, high = price;  // low: dear enough to lose; high: cheap enough to win
    for (int halvings = 0; halvings < 14 && !wins_at(high); ++halvings) {
      low = high;
      high /= 2;
    }
    if (!wins_at(high)) return std::nullopt;
    while (std::abs(low - high) > 1e-4 * high) {
      const double middle = (low + high) / 2;
      (wins_at(middle) ? high : low) = middle;
    }
    return high;
  }

 private:
  bool wins_at(double amount) const {
    RankedOffer changed = own_;
    changed.configuration.price->amount = amount;
    changed.estimate = decide::estimate(workload_, changed.configuration, rates_, book_, decide::Detail::verdict, measured_);
    if (changed.estimate.verdict != "accept") return false;
    std::vector<RankedOffer> both = {first_, std::move(changed)};
    rank::sort_ranking(both, rates_);
    return both.front().offer == own_.offer;
  }

  const Workload& workload_;
  const RankedOffer& own_;
  const RankedOffer& first_;
  const ExchangeRates& rates_;
  const rules::Book& book_;
  const decide::MeasuredBoards* measured_;
};

WhatIf::Change price_change(const RankedOffer& own, double to) { return {price_field, Value(own.configuration.price->amount), Value(to)}; }

WhatIf::Change board_change(const Workload& workload, const RankedOffer& own) {
  Value before = Value::list(), after = Value::list();
  for (const std::string& name : workload.constraints.gpu_names) before.push_back(name);
  after.push_back(own.configuration.board->id);
  return {"workload.constraints.gpus.names", std::move(before), std::move(after)};
}

}  // namespace

std::vector<WhatIf> to_win(const Workload& workload, const Decision& decision, const std::string& offer, const ExchangeRates& rates,
                           const rules::Book& book, const decide::MeasuredBoards* measured) {
  const RankedOffer* own = nullptr;
  for (const RankedOffer& ranked : decision.ranking) {
    if (ranked.offer == offer) own = &ranked;
  }
  if (!own || own->rank == 1 || !own->configuration.price) return {};
  if (const auto price = PriceToWin(workload, *own, decision.ranking.front(), rates, book, measured).find())
    return {{"win", {price_change(*own, *price)}, true}};
  if (!own->configuration.board) return {};
  // No price makes it the best of all: what makes it the best of its own board?
  const RankedOffer* first = own;
  for (const RankedOffer& ranked : decision.ranking) {
    if (ranked.configuration.board == own->configuration.board && ranked.rank < first->rank) first = &ranked;
  }
  if (first == own) return {{"win", {board_change(workload, *own)}, true}};
  const auto price = PriceToWin(workload, *own, *first, rates, book, measured).find();
  if (!price) return {};
  return {{"win", {board_change(workload, *own), price_change(*own, *price)}, true}};
}

}  // namespace steelyard::explain
