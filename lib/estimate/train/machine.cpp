#include "estimate/train/machine.hpp"

#include <algorithm>
#include <utility>

#include "core/text.hpp"
#include "estimate/collective/efficiency.hpp"

namespace steelyard::estimate {

namespace {

std::optional<double> peak_of(const Board& board, std::initializer_list<const char*> formats, std::string* used = nullptr) {
  for (const char* format : formats)
    if (const auto found = board.dense_tflops.find(format); found != board.dense_tflops.end() && found->second > 0) {
      if (used) *used = format;
      return found->second * 1e12;
    }
  return std::nullopt;
}

/// The peak of a format, or of the next wider one that the board has: no board refuses a narrow format, it computes wider.
std::optional<double> peak_for(const Board& board, const std::string& precision, std::string& used) {
  if (precision == "nvfp4" || precision == "mxfp4") return peak_of(board, {"nvfp4", "mxfp4", "fp4", "mxfp8", "fp8", "bf16", "fp16"}, &used);
  if (precision == "mxfp8") return peak_of(board, {"mxfp8", "fp8", "bf16", "fp16"}, &used);
  if (precision == "fp8") return peak_of(board, {"fp8", "bf16", "fp16"}, &used);
  if (precision == "fp32") return peak_of(board, {"fp32", "tf32"}, &used);
  if (precision == "tf32") return peak_of(board, {"tf32", "fp32"}, &used);
  if (precision == "fp64") return peak_of(board, {"fp64_tensor", "fp64"}, &used);
  if (precision == "fp16") return peak_of(board, {"fp16", "bf16", "fp32"}, &used);
  return peak_of(board, {"bf16", "fp16", "fp32"}, &used);
}

std::string generation_of(const Board& board) {
  static const std::pair<const char*, const char*> words[] = {
      {"blackwell", "blackwell"}, {"hopper", "hopper"}, {"ada", "ada"},     {"ampere", "ampere"}, {"turing", "turing"},
      {"volta", "volta"},         {"cdna4", "cdna4"},   {"cdna3", "cdna3"}, {"cdna2", "cdna2"},   {"rdna", "rdna"}};
  const std::string key = name_key(board.architecture);
  for (const auto& [word, generation] : words)
    if (key.find(word) != std::string::npos) return generation;
  return board.vendor.empty() ? "other" : to_lower(board.vendor);
}

std::string local_kind_of(const Configuration& configuration, const Board& board) {
  if (configuration.gpus_per_node <= 1 && configuration.nvlink_domain_gpus.value_or(1) <= 1) return "none";
  if (!configuration.intra_node.empty() && configuration.intra_node != "none") return configuration.intra_node;
  if (board.nvlink_kind == "pairs") return "nvlink_pairs";
  return board.nvlink_gb_per_s_bidirectional && (board.nvlink_kind == "nvswitch" || board.nvlink_kind == "mesh") ? "nvlink" : "pcie";
}

/// Between GPUs of one node. The step law's shares count from NVLink's peak; other links reach a smaller share of theirs, as collectives measure it.
double share_beside_nvlink(const char* family) {
  const FittedFamily& fitted = CollectiveEfficiency::embedded().fitted;
  const double nvlink = fitted.parameter("share_of_peak.nvlink", 0.8);
  return fitted.parameter(std::string("share_of_peak.") + family, nvlink) / nvlink;
}

void set_local(const Configuration& configuration, const Board& board, TrainingMachine& out) {
  out.local_kind = local_kind_of(configuration, board);
  out.domain = std::max(configuration.gpus_per_node, configuration.nvlink_domain_gpus.value_or(0));
  const bool peer = configuration.gpu_peer_access.value_or(board.peer_access.value_or(true));
  out.local_bytes_per_s = slot_bytes_per_s(board) * configuration.links.slot * share_beside_nvlink(peer ? "pcie" : "staged");
  if (out.local_kind == "pcie" && !peer) out.local_kind = "staged";
  if (out.local_kind == "none") out.domain = 1;
  if (!board.nvlink_gb_per_s_bidirectional || out.local_kind == "pcie" || out.local_kind == "staged" || out.local_kind == "none") return;
  if (out.local_kind == "nvlink_pairs" && configuration.gpus_per_node > 2)
    return;  // a ring of several pairs runs at the rate of the slots between them
  out.local_bytes_per_s = *board.nvlink_gb_per_s_bidirectional * 1e9 / 2;
}

/// The network between nodes; one whose kind is not stated counts as the plainest that is known. Empty where there is none or its rate is unknown.
std::optional<InterLink> network_of(const Configuration& configuration) {
  const InterNode& stated = configuration.inter_node;
  std::optional<double> gbit = stated.gbit_per_s_per_node;
  if (!gbit && stated.gbit_per_s_per_port) gbit = stated.ports_per_node.value_or(1) * *stated.gbit_per_s_per_port;
  if (!gbit || *gbit <= 0 || stated.kind == "none") return std::nullopt;
  return InterLink{stated.kind, *gbit / 8, stated.gpudirect.value_or(stated.kind != "ethernet"), configuration.links.network,
                   configuration.links.network_latency};
}

}  // namespace

double slot_bytes_per_s(const Board& board) {
  const int generation = std::clamp(board.pcie_generation.value_or(4), 1, 7);
  return 0.985e9 * board.pcie_lanes.value_or(16) * (1 << generation) / 8.0;
}

std::optional<TrainingMachine> training_machine(const Configuration& configuration, const std::string& precision) {
  if (!configuration.board) return std::nullopt;
  const Board& board = *configuration.board;
  TrainingMachine out;
  const auto format = peak_for(board, precision, out.format);
  const auto half = peak_of(board, {"bf16", "fp16", "fp32"});
  if (!format || !half || !board.memory_bandwidth_gb_per_s) return std::nullopt;
  out.peak_format = *format;
  out.peak_half = precision == "fp32" || precision == "fp64" || precision == "tf32" ? *format : *half;
  out.memory_bytes_per_s = *board.memory_bandwidth_gb_per_s * 1e9;
  out.board = board.id;
  out.generation = generation_of(board);
  out.gpus = configuration.gpus();
  out.host_bytes_per_s = slot_bytes_per_s(board) * configuration.links.host;
  set_local(configuration, board, out);
  if (out.gpus <= out.domain) return out;
  const auto network = network_of(configuration);
  if (!network) return std::nullopt;
  out.node_bytes_per_s = CollectiveEfficiency::embedded().network(*network, "all_reduce", 2).beta_gb_per_s * 1e9 / configuration.gpus_per_node;
  return out;
}

}  // namespace steelyard::estimate
