#include "decide/measured_network.hpp"

#include <cmath>
#include <steelyard/kernels.hpp>

#include "estimate/collective/efficiency.hpp"

namespace steelyard::decide {

namespace {

constexpr double small_bytes = 1 << 10, large_bytes = 1 << 28;  // where the start-up time counts alone, and where the rate does

// A node of the machine that was measured.
Configuration node_of(const Board& board, const MeasuredBoard& found, int gpus) {
  Configuration node;
  node.board = &board;
  node.gpus_per_node = gpus;
  node.gpu_peer_access = found.peer_access;
  if (found.link && !found.link->key.starts_with("nvlink")) node.links.slot = found.link->rate.share();
  if (found.link) node.intra_node = found.link->key.starts_with("nvlink") ? "nvlink" : "pcie";
  return node;
}

// Both parts of an all_reduce over nodes run at once: t^3 = network^3 + inside^3 (estimate/collective). Empty where the inside takes all of it.
std::optional<double> network_us(double whole_us, double inside_us) {
  const double left = std::pow(whole_us, 3) - std::pow(inside_us, 3);
  return left > 0 ? std::optional(std::cbrt(left)) : std::nullopt;
}

class Reader {
 public:
  Reader(const Board& board, const MeasuredBoard& found, int gpus, int nodes)
      : board_(board), machine_(*found.machine), node_(node_of(board_, found, gpus / nodes)), gpus_(gpus), nodes_(nodes) {
    if (found.link && found.link->key.starts_with("nvlink") && board_.nvlink_gb_per_s_bidirectional)
      *board_.nvlink_gb_per_s_bidirectional *= found.link->rate.share();
  }

  // Time of the network alone, and the spread of the measured whole.
  std::optional<Measured> at(double bytes) const {
    auto whole = machine_.collective_s("all_reduce", gpus_, nodes_, bytes);
    if (!whole) return std::nullopt;
    const double inside = node_.gpus_per_node > 1 ? estimate_collective("all_reduce", bytes, node_).time_us.value_or(0) : 0;
    const auto us = network_us(whole->value * 1e6, inside);
    if (!us) return std::nullopt;
    whole->value = *us;
    return whole;
  }

 private:
  Board board_;  // with the NVLink that was measured
  const MeasuredMachine& machine_;
  Configuration node_;
  int gpus_, nodes_;
};

}  // namespace

std::optional<MeasuredNetwork> read_network(const Calibration& calibration, const Board& board, const MeasuredBoard& found, int gpus, int nodes) {
  const CalibratedMachine& named = calibration.machine;
  if (named.network.empty() || named.network_gbit_per_s_per_node.value_or(0) <= 0 || gpus % nodes != 0) return std::nullopt;
  MeasuredNetwork out{{}, {}, named.network, *named.network_gbit_per_s_per_node, gpus / nodes};
  const bool gpudirect = named.network != "ethernet" && named.network != "omnipath";  // as for a configuration that does not say
  const estimate::LinkLaw law =
      estimate::CollectiveEfficiency::embedded().network({named.network, out.gbit_per_s_per_node / 8, gpudirect}, "all_reduce", nodes);
  const Reader reader(board, found, gpus, nodes);
  const auto small = reader.at(small_bytes), large = reader.at(large_bytes);
  double alpha_us = law.alpha_us;
  if (small) {
    const double expected = estimate::link_time_us(estimate::leaving_bytes("all_reduce", small_bytes, nodes, out.gpus_per_node), law);
    alpha_us *= small->value / expected;
    out.latency = MeasuredFigure{"collective.all_reduce.network_latency", alpha_us,      law.alpha_us,    "us",
                                 "from the fitted law of the network",    small->spread, calibration.file};
  }
  if (!large) return out;
  const double moving_us = std::pow(std::pow(large->value, law.knee) - std::pow(alpha_us, law.knee), 1 / law.knee);
  if (!(moving_us > 0)) return out;
  out.rate = MeasuredFigure{"collective.all_reduce.network_bandwidth",
                            estimate::leaving_bytes("all_reduce", large_bytes, nodes, out.gpus_per_node) / (moving_us * 1e3),
                            law.beta_gb_per_s,
                            "gb_per_s",
                            "from the fitted law of the network",
                            large->spread,
                            calibration.file};
  return out;
}

}  // namespace steelyard::decide
