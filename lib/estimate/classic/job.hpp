// What the time of classic training depends on, gathered once.
#pragma once

#include <optional>
#include <steelyard/configuration.hpp>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

namespace steelyard::estimate {

enum class ClassicKind : unsigned char { convolution, segmentation, transformer, recurrent, recommender, speech };
constexpr int classic_kinds = 6;
/// "convolution" "segmentation" "transformer" "recurrent" "recommender" "speech"
const char* classic_kind_word(ClassicKind kind);

/// One entry of data/efficiency/classic_models.yaml.
struct ClassicModel {
  std::vector<std::string> names;
  ClassicKind kind = ClassicKind::convolution;
  std::string unit = "sample";  // "sample" "token" "frame": what its throughput counts
  double units_per_sample = 1;
  std::optional<double> gflop;  // 1e9 operations of training per unit; empty: 6 x parameters x sequence length
  double parameters_m = 0;      // 1e6
};
const std::vector<ClassicModel>& classic_models();

/// A job per unit and GPU.
struct ClassicJob {
  ClassicKind kind = ClassicKind::convolution;
  std::string unit = "sample";
  double units_per_sample = 1;
  double operations = 0;                    // of training, per unit
  double gradient_bytes = 0;                // of one step
  double peak = 0, memory_rate = 0;         // operations/s, bytes/s of one GPU
  bool half = false, matrix_units = false;  // 16-bit arithmetic; whether matrix units do the work
  double link = 0, network = 0;             // bytes/s a GPU sends inside a node; bytes/s of a node's network; 0: one GPU, one node
  int gpus = 1, nodes = 1, per_node = 1;
  double micro = 1;                                   // samples a GPU and pass
  std::optional<double> global;                       // samples a step
  std::string model, board, architecture, framework;  // for the levels
  int sequence = 0;
};

std::optional<ClassicJob> classic_job(const Workload& workload, const Configuration& configuration, std::vector<std::string>& missing);

}  // namespace steelyard::estimate
