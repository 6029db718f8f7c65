// The machines behind the offers: offers that differ only in price, place and name are decided once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "decide/decide.hpp"

namespace steelyard::rank {

class Machines {
 public:
  // Everything of a configuration that the first three steps look at.
  using Key = std::tuple<std::string, const Board*, int, int, std::string, std::optional<bool>, std::optional<int>, std::string,
                         std::optional<double>, std::optional<int>, std::optional<double>, std::optional<bool>, std::optional<double>,
                         std::optional<double>, std::string, std::string, std::optional<double>, std::optional<double>, std::optional<double>>;

  /// The job must outlive it.
  Machines(const decide::Job& job, decide::Detail detail) : job_(job), detail_(detail) {}

  /// The same for configurations whose machines differ in nothing but the number of nodes.
  static Key family(Configuration configuration);

  /// The decision for the machine of a configuration, up to its price; made once. Several threads may ask, each for families of its own.
  decide::MachineDecision& decide(const Configuration& configuration);

  /// Is nothing known of the network that more than one node needs? Then no larger count can be accepted either.
  static bool network_unknown(const Configuration& configuration) { return configuration.nodes > 1 && configuration.inter_node.kind.empty(); }

 private:
  static Key key_of(const Configuration& configuration);

  const decide::Job& job_;
  decide::Detail detail_;
  /// A model, by what it looks at: families can have it in common.
  struct Model {
    std::once_flag once;
    std::unique_ptr<const decide::SharedModel> made;
  };
  const decide::SharedModel& model(Model& entry, Configuration part);

  std::mutex guard_;  // of the maps, not of their entries
  std::map<Key, Model> models_;
  std::map<Key, std::unique_ptr<decide::MachineDecision>> known_;
};

}  // namespace steelyard::rank
