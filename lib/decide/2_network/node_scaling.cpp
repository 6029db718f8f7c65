#include "decide/2_network/node_scaling.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "words/phrases.hpp"

namespace steelyard::decide {

namespace {

constexpr double wanted_efficiency = 0.9;
// Between a line of 1 gbit/s and more than any node has.
constexpr double slowest_gbit = 1, fastest_gbit = 25'600;
constexpr double closeness = 1.02;  // of the rate that is found

class Scaler {
 public:
  Scaler(const Job& job, const Configuration& configuration)
      : job_(job), configuration_(configuration), phrases_(words::Phrases::of(job.book.language())) {
    scaling_.nodes = std::max(2, configuration.nodes);
    const std::string& kind = configuration.inter_node.kind;
    scaling_.link_kind = kind.empty() || kind == "none" ? "infiniband" : kind;
  }

  NodeScaling run(const Modelled& given) {
    if (!configuration_.board) return unknown("the board is not known");
    // Rates measured on this very configuration say nothing of another one: then both sides are the model's.
    const Modelled modelled = configuration_.measured == MeasuredRates() ? given : on_nodes(configuration_.nodes, configuration_.inter_node);
    const Modelled one = configuration_.nodes == 1 ? modelled : on_nodes(1, configuration_.inter_node);
    if (!one.memory.peak_gib || !one.memory.usable_gib) return unknown("whether one node holds the job is not known");
    if (!runs(one)) return unknown("one node does not hold the job: there is no speed to compare with");
    const auto rate = work_rate(one);
    if (!rate || *rate <= 0) return unknown("the speed on one node can't be told");
    one_ = *rate;
    compare_as_stated(modelled);
    find_link();
    scaling_.because = sentence();
    return scaling_;
  }

 private:
  NodeScaling unknown(const char* why) {
    scaling_.link_kind.clear();
    scaling_.because = phrases_.say(why);
    return scaling_;
  }

  Modelled on_nodes(int nodes, const InterNode& network) const {
    Configuration changed = configuration_;
    changed.nodes = nodes;
    changed.inter_node = network;
    return model(job_, changed);
  }

  void compare_as_stated(const Modelled& modelled) {
    const InterNode& network = configuration_.inter_node;
    if (network.kind.empty() || network.kind == "none") return;
    const auto rate = work_rate(configuration_.nodes == scaling_.nodes ? modelled : on_nodes(scaling_.nodes, network));
    if (!rate) return;
    scaling_.speedup = *rate / one_;
    scaling_.efficiency = *scaling_.speedup / scaling_.nodes;
  }

  // Share of `nodes` times the speed of one node; 0 where it can't be told.
  double efficiency_at(double gbit_per_s) const {
    InterNode network;
    network.kind = scaling_.link_kind;
    network.gbit_per_s_per_node = gbit_per_s;
    network.gpudirect = configuration_.inter_node.gpudirect;
    return work_rate(on_nodes(scaling_.nodes, network)).value_or(0) / one_ / scaling_.nodes;
  }

  void find_link() {
    const double best = efficiency_at(fastest_gbit);
    if (best <= 0) return;
    if (best < wanted_efficiency) {
      best_ = best;
      scaling_.link = "out_of_reach";
      return;
    }
    if (efficiency_at(slowest_gbit) >= wanted_efficiency) {
      scaling_.link = "any";
      return;
    }
    double slow = slowest_gbit, fast = fastest_gbit;
    while (fast > slow * closeness) {
      const double middle = std::sqrt(slow * fast);
      (efficiency_at(middle) >= wanted_efficiency ? fast : slow) = middle;
    }
    scaling_.link = "needed";
    scaling_.link_for_90_percent_gbit_per_s = fast;
  }

  std::string sentence() const {
    const NodeScaling& found = scaling_;
    std::string text;
    if (found.speedup) {
      text = phrases_.say("{} nodes do {} times the work of one, {} % of {} times; ", found.nodes, format_rounded(*found.speedup, 3),
                          format_rounded(100 * *found.efficiency, 2), found.nodes);
    }
    if (found.link == "any") return text + phrases_.say("any network is fast enough for 90 %");
    if (found.link == "out_of_reach") {
      return text + phrases_.say("no network makes {} nodes reach 90 %: at {} gbit/s a node it is {} %", found.nodes, fastest_gbit,
                                 format_rounded(100 * best_, 2));
    }
    if (!found.link_for_90_percent_gbit_per_s) return text + phrases_.say("what network 90 % would take can't be told");
    return text + phrases_.say("90 % takes {} of {} gbit/s a node", found.link_kind, format_rounded(*found.link_for_90_percent_gbit_per_s, 2, true));
  }

  const Job& job_;
  const Configuration& configuration_;
  const words::Phrases& phrases_;
  NodeScaling scaling_;
  double one_ = 0, best_ = 0;  // work a second on one node; efficiency on the fastest network
};

}  // namespace

NodeScaling node_scaling(const Job& job, const Configuration& configuration, const Modelled& modelled) {
  return Scaler(job, configuration).run(modelled);
}

}  // namespace steelyard::decide
