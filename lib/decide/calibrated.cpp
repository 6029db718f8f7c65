// A configuration as its calibration shows it.
#include <algorithm>
#include <cmath>

#include "decide/measured.hpp"
#include "estimate/collective/links.hpp"
#include "estimate/memory/job.hpp"

namespace steelyard::decide {

namespace {

constexpr double same_line = 0.1;  // relative: a line's rate is stated with or without its coding

// Formats whose operands are multiplied by the same units share a figure: 16-bit ones.
const MeasuredFigure* product_of(const MeasuredBoard& measured, const std::string& format) {
  const std::string kin = format == "bf16" ? "fp16" : format == "fp16" ? "bf16" : format == "mxfp8" ? "fp8" : format;
  for (const std::string& one : {format, kin}) {
    if (const auto found = measured.products.find(one); found != measured.products.end()) return &found->second;
  }
  return nullptr;
}

std::optional<double> stated_gbit(const InterNode& network) {
  if (network.gbit_per_s_per_node) return network.gbit_per_s_per_node;
  if (!network.ports_per_node || !network.gbit_per_s_per_port) return std::nullopt;
  return *network.ports_per_node * *network.gbit_per_s_per_port;
}

}  // namespace

Calibrated::Calibrated(const Workload& workload, const Configuration& configuration, const MeasuredBoards* measured) : configuration_(configuration) {
  const MeasuredBoard* found = take(measured);
  if (!found) return;
  scale_products(*found, workload.precision);
  if (found->memory && board_.memory_bandwidth_gb_per_s) {
    *board_.memory_bandwidth_gb_per_s *= found->memory->share();
    used_.push_back(*found->memory);
  }
  if (found->link) scale_link(*found->link);
  scale_host(*found, estimate::trains(workload.task) && estimate::offload_of(workload.offload) != estimate::Offload::none);
  if (found->network) scale_network(*found->network);
  if (network_is_measured_ && found->network->rate) used_.push_back(*found->network->rate);  // jobs take no start-up time between nodes
}

Calibrated::Calibrated(const Configuration& configuration, const MeasuredBoards* measured) : configuration_(configuration) {
  const MeasuredBoard* found = take(measured);
  if (!found) return;
  if (found->link) scale_link(*found->link);
  if (found->network) scale_network(*found->network);
  if (!network_is_measured_) return;
  for (const auto* one : {&found->network->rate, &found->network->latency}) {
    if (*one) used_.push_back(**one);
  }
}

// Its own copy of the board, so that the catalog's stays as it is.
const MeasuredBoard* Calibrated::take(const MeasuredBoards* measured) {
  const MeasuredBoard* found = measured ? measured->find(configuration_.board) : nullptr;
  if (!found) return nullptr;
  board_ = *configuration_.board;
  configuration_.board = &board_;
  if (found->peer_access && !configuration_.gpu_peer_access) configuration_.gpu_peer_access = found->peer_access;
  return found;
}

void Calibrated::scale_products(const MeasuredBoard& measured, const std::string& precision) {
  for (auto& [format, tflops] : board_.dense_tflops) {
    if (const MeasuredFigure* found = product_of(measured, format == "fp64_tensor" ? "fp64" : format)) tflops *= found->share();
  }
  for (auto* rate : {&board_.fp16_accumulate_tflops, &board_.measured_bf16_tflops}) {
    if (const MeasuredFigure* found = product_of(measured, "fp16"); found && *rate) **rate *= found->share();
  }
  const bool wide = precision == "fp32" || precision == "tf32" || precision == "fp64";
  const MeasuredFigure* own = product_of(measured, precision.empty() ? "bf16" : precision);
  if (!own && !wide) own = product_of(measured, "bf16");  // a board without that format multiplies in 16 bits
  if (!own) return;
  product_share_ = own->share();
  used_.push_back(*own);
}

// A link counts for machines with as many GPUs a node as were measured, over the same link.
void Calibrated::scale_link(const MeasuredLink& link) {
  std::vector<std::string> missing;
  if (configuration_.gpus_per_node != link.gpus || estimate::intra_link(configuration_, link.gpus, missing).key != link.key) return;
  if (!link.key.starts_with("nvlink")) {
    configuration_.links.slot = link.rate.share();
  } else if (board_.nvlink_gb_per_s_bidirectional) {
    *board_.nvlink_gb_per_s_bidirectional *= link.rate.share();
  }
  link_is_measured_ = true;
  used_.push_back(link.rate);
}

// Weights and states go down and come up again: a round trip takes the sum of both times.
void Calibrated::scale_host(const MeasuredBoard& measured, bool offloads) {
  double times = 0;
  int ways = 0;
  for (const auto* one : {&measured.to_gpu, &measured.to_host}) {
    if (!*one) continue;
    times += 1 / (*one)->share();
    ++ways;
    if (offloads) used_.push_back(**one);
  }
  if (ways > 0) configuration_.links.host = ways / times;
}

// A network counts for clusters of the same kind and line rate, with as many GPUs a node as were measured.
void Calibrated::scale_network(const MeasuredNetwork& network) {
  const auto gbit = stated_gbit(configuration_.inter_node);
  if (configuration_.nodes < 2 || configuration_.gpus_per_node != network.gpus_per_node || configuration_.inter_node.kind != network.kind || !gbit)
    return;
  if (configuration_.nvlink_domain_gpus.value_or(0) >= configuration_.gpus()) return;  // the network is not used
  if (std::abs(*gbit / network.gbit_per_s_per_node - 1) > same_line) return;
  if (network.rate) configuration_.links.network = network.rate->share();
  if (network.latency) configuration_.links.network_latency = network.latency->share();
  network_is_measured_ = true;
}

void Calibrated::finish(TimeEstimate& time) const {
  // A link or a memory alone makes the whole no surer.
  if (!product_share_ || time.confidence.empty()) return;
  if (time.mfu) *time.mfu *= *product_share_;
  if (time.software) time.software = std::min(1.0, *time.software * *product_share_);
  time.confidence = "calibrated";
}

}  // namespace steelyard::decide
