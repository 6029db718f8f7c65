// A configuration as the step law sees it: peaks, memory and link rates per GPU, one direction.
#pragma once

#include <optional>
#include <steelyard/configuration.hpp>
#include <string>

namespace steelyard::estimate {

/// Rates are per GPU and one direction, in bytes/s; peaks in flop/s, dense.
struct TrainingMachine {
  std::string generation;  // "ampere" "hopper" "blackwell" "cdna3" ...: whose efficiencies count
  std::string board;       // id
  double peak_format = 0;  // of the matrix products in the job's format
  double peak_half = 0;    // of bf16 / fp16: attention, logits, embeddings
  double memory_bytes_per_s = 0;
  double local_bytes_per_s = 0;  // between GPUs of one domain
  double node_bytes_per_s = 0;   // between domains, the GPU's share of the node's ports; 0: one node
  double host_bytes_per_s = 0;   // between GPU and host memory: the slot's peak, by the measured share where there is one
  int gpus = 1, domain = 1;      // GPUs in all; GPUs that `local` reaches (1: none)
  std::string format;            // the format that the board really multiplies in
  std::string local_kind;        // "nvlink" "nvlink_pairs" "pcie" "staged" "none"
};

/// Bytes/s of the PCIe slot, one direction: 0.985 GB/s a lane in generation 3, doubling with each.
double slot_bytes_per_s(const Board& board);

/// Empty where the board, its peak or (with several nodes) the rate between nodes is unknown.
std::optional<TrainingMachine> training_machine(const Configuration& configuration, const std::string& precision);

}  // namespace steelyard::estimate
