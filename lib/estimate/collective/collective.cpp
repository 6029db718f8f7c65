#include <algorithm>
#include <cmath>
#include <steelyard/kernels.hpp>

#include "estimate/collective/efficiency.hpp"

namespace steelyard {

namespace {

using namespace estimate;

/// A time with the sd of its log.
struct Timed {
  double us = 0, log_sd = 0;
  bool seen = false;
};

Timed inside_node(const CollectiveEfficiency& efficiency, const IntraLink& link, std::string_view kind, double bytes, double gpus,
                  std::string_view algorithm) {
  const bool plain_ring = algorithm == "ring" || algorithm == "tree";
  const double law_us = link_time_us(wire_bytes(kind, bytes, gpus), efficiency.link(link, kind, gpus, plain_ring));
  const Residual left = efficiency.residual(link.key, plain_ring ? "all_gather" : kind, bytes, gpus);
  return {law_us * std::exp(left.offset), std::hypot(left.log_sd, link.certain ? 0 : 0.2), left.seen};
}

/// Both parts run at once in chunks: the slower one shows, with some of the other.
Timed across_nodes(const CollectiveEfficiency& efficiency, const InterLink& net, const Timed& inside, std::string_view kind, double bytes,
                   double nodes, double gpus) {
  const double net_us = link_time_us(leaving_bytes(kind, bytes, nodes, gpus), efficiency.network(net, kind, nodes));
  return {std::pow(std::pow(net_us, 3) + std::pow(inside.us, 3), 1.0 / 3), std::hypot(efficiency.network_log_sd(net), 0.1), false};
}

}  // namespace

CollectiveEstimate estimate_collective(std::string_view kind, double bytes, const Configuration& configuration, std::string_view algorithm,
                                       std::string_view /*nccl*/) {
  CollectiveEstimate out;
  const int gpus = configuration.gpus();
  const double wire = wire_bytes(kind, bytes, gpus);
  if (gpus < 2)
    out.missing.push_back("configuration.gpus_per_node: a collective needs two GPUs");
  else if (!(wire > 0))
    out.missing.push_back("collective.kind and collective.bytes above 0");
  // An NVLink domain that holds all GPUs is one node, whatever the number of hosts.
  const bool one_domain = configuration.nodes == 1 || configuration.nvlink_domain_gpus.value_or(0) >= gpus;
  const int together = one_domain ? gpus : configuration.gpus_per_node;
  const CollectiveEfficiency& efficiency = CollectiveEfficiency::embedded();
  Timed time;
  IntraLink link;
  if (together > 1) link = intra_link(configuration, together, out.missing);
  const std::optional<InterLink> net = one_domain ? std::nullopt : inter_link(configuration, out.missing);
  if (!out.missing.empty() || (!one_domain && !net)) return out;
  if (together > 1) time = inside_node(efficiency, link, kind, bytes, together, algorithm);
  const std::optional<double> factor = configuration.board ? efficiency.board_factor(configuration.board->id) : std::nullopt;
  if (factor) time.us *= *factor;
  if (net) time = across_nodes(efficiency, *net, time, kind, bytes, configuration.nodes, configuration.gpus_per_node);
  const double reach = std::exp(efficiency.fitted.interval_width * time.log_sd);
  out.link = net ? "network:" + net->kind : link.key;
  out.time_us = time.us;
  out.busbw_gb_per_s = wire / (time.us * 1e3);
  out.interval = Interval{time.us / reach, time.us * reach, "time_us"};
  out.confidence = time.seen && factor ? "same_gpu" : "extrapolated";
  return out;
}

}  // namespace steelyard
