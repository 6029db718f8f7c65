// What the time of serving a language model depends on, gathered once.
#pragma once

#include <optional>
#include <steelyard/configuration.hpp>
#include <steelyard/estimate.hpp>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

namespace steelyard::estimate {

/// How the arithmetic is done: which fit stands for the peak.
enum class ServeFormat : unsigned char { sixteen, eight, four };

/// Model, board, plan and load. Bytes and operations are of the whole model unless said; rates of one GPU.
struct ServeJob {
  // Model.
  double layers = 0, hidden = 0, heads = 0, head_dim = 0, kv_heads = 0;
  double parameters = 0, active = 0, routed = 0;  // all; those one token passes; those of routed experts
  double experts = 0, experts_per_token = 0;
  double weight_bytes = 2, expert_bytes = 2;  // stored, per parameter
  double kv_token_bytes = 0;                  // per token, all layers
  double window = 0, window_share = 0;        // tokens that a windowed layer sees, share of such layers
  bool latent_attention = false;
  // Board.
  double peak = 0, peak_16 = 0;  // operations/s of the format and of 16 bits, dense
  double memory_rate = 0;        // bytes/s, vendor peak
  double usable_bytes = 0;
  double link = 0;                             // bytes/s between two GPUs of a node, one way, nominal; 0: one GPU or not known
  bool nvlink = false, host_cpu_slow = false;  // host_cpu_slow: Grace, whose cores launch more slowly
  ServeFormat format = ServeFormat::sixteen;
  // Plan.
  int gpus = 1, tensor = 1, pipeline = 1, expert = 1;
  bool attention_data_parallel = false;  // every GPU attends for its own requests, experts are shared
  // Load.
  double input = 0, output = 0;
  double concurrency = 0;      // 0: as many as fit
  bool single_stream = false;  // llama.cpp: one request at a time, layers split over GPUs
  bool quantized = false;      // stored weights have a format of their own
  double fp16_peak_any = 0;    // operations/s with 16-bit accumulation where the board is faster so

  std::string board, architecture, engine, release, metric;  // for the levels

  int replicas() const { return std::max(1, gpus / std::max(1, tensor * pipeline)); }
};

/// Empty where model shape, board, its peak or its memory rate is not known; `missing` names what.
std::optional<ServeJob> serve_job(const Workload& workload, const Configuration& configuration, const Plan& plan, std::vector<std::string>& missing);

}  // namespace steelyard::estimate
