// The machines behind the offers: offers that differ only in price, place and name are decided once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "decide/decide.hpp"

namespace steelyard::rank {

class Machines {
 public:
  Machines(const Workload& workload, const Catalog& catalog, const rules::Book& book, decide::Detail detail, const decide::MeasuredBoards* measured);
  ~Machines();

  /// The decision for the machine of a configuration, up to its price; made once.
  decide::MachineDecision& decide(const Configuration& configuration);

  /// Makes the decisions for many machines at once, on all cores.
  void prepare(const std::vector<Configuration>& configurations);

  /// Is nothing known of the network that more than one node needs? Then no larger count can be accepted either.
  static bool network_unknown(const Configuration& configuration) { return configuration.nodes > 1 && configuration.inter_node.kind.empty(); }

 private:
  // Everything of a configuration that the first three steps look at.
  using Key = std::tuple<std::string, const Board*, int, int, std::string, std::optional<bool>, std::optional<int>, std::string,
                         std::optional<double>, std::optional<int>, std::optional<double>, std::optional<bool>, std::optional<double>,
                         std::optional<double>, std::string, std::string, std::optional<double>, std::optional<double>, std::optional<double>>;
  static Key key_of(const Configuration& configuration);
  std::unique_ptr<decide::MachineDecision> make(const Configuration& configuration, const decide::SharedModel& model) const;

  const Workload& workload_;
  const Catalog& catalog_;
  const rules::Book& book_;
  decide::Detail detail_;
  const decide::MeasuredBoards* measured_;
  PlanOptions plans_;
  std::map<Key, std::unique_ptr<const decide::SharedModel>> models_;  // by what a model looks at
  std::map<Key, std::unique_ptr<decide::MachineDecision>> known_;
};

}  // namespace steelyard::rank
