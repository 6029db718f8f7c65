// Calibrations made up for tests.
#pragma once

#include <cmath>
#include <steelyard/calibrate.hpp>
#include <string>

#include "calibrate/rates.hpp"

namespace steelyard::test {

inline TimeStatistics time_of(double seconds) { return {seconds, 0.01 * seconds, 0.98 * seconds, 0.98 * seconds, 1.03 * seconds, 20, 1, 0, true}; }

inline Measurement collective(const std::string& kind, int ranks, int nodes, double bytes, double seconds, const std::string& backend = "nccl") {
  Measurement out;
  out.metric = "collective." + kind;
  out.backend = backend;
  out.at = {{"bytes", bytes}, {"nodes", nodes}, {"ranks", ranks}};
  out.value = calibration::bus_gb_per_s(kind, ranks, bytes, seconds);
  out.unit = "gb_per_s";
  out.time = time_of(seconds);
  return out;
}

inline Measurement product(const std::string& format, const std::string& state, double m, double n, double k, double seconds) {
  Measurement out;
  out.metric = "gemm";
  out.backend = "cuda";
  out.format = format;
  out.state = state;
  out.at = {{"m", m}, {"n", n}, {"k", k}};
  out.value = calibration::tflops(m, n, k, seconds);
  out.unit = "tflops";
  out.time = time_of(seconds);
  return out;
}

inline Measurement rate(const std::string& metric, double bytes, double gb_per_s) {
  Measurement out;
  out.metric = metric;
  out.backend = "cuda";
  out.at = {{"bytes", bytes}, {"device", 0}};
  out.value = gb_per_s;
  out.unit = "gb_per_s";
  out.time = time_of(bytes / gb_per_s / 1e9);
  return out;
}

/// Seconds of a bf16 product on a machine of 250e12 op/s and 1.6e12 bytes/s.
inline double product_s(double m, double n, double k) {
  const double work = 2 * m * n * k / 250e12, bytes = 2 * (m * k + k * n + m * n) / 1.6e12;
  return 3e-6 + std::pow(std::pow(work, 4) + std::pow(bytes, 4), 0.25);
}

/// An eight-GPU box: all_reduce at 20 us + bytes / (134 GB/s), memory, products, host links.
inline Calibration gpu_calibration() {
  Calibration out;
  out.date = "2026-11-30";
  out.machine.gpu = "NVIDIA A100-SXM4-80GB";
  out.machine.board = "A100-SXM4-80GB";
  out.machine.gpus_per_node = 8;
  out.machine.ranks = 8;
  out.software = {{"driver", "580.0"}, {"cuda", "13.0"}, {"nccl", "2.28.9"}};
  out.measurements.push_back(rate("memory.triad", 1 << 20, 900));
  out.measurements.push_back(rate("memory.triad", 1 << 30, 1759));
  out.measurements.push_back(rate("transfer.h2d", 1 << 28, 24));
  for (const double bytes : calibration::size_ladder(8, 1 << 30, 40)) {
    out.measurements.push_back(collective("all_reduce", 8, 1, bytes, 20e-6 + bytes / 134e9));
  }
  for (const double m : {16.0, 256.0, 4096.0}) {
    for (const double n : {1024.0, 8192.0}) {
      for (const double k : {1024.0, 8192.0}) {
        out.measurements.push_back(product("bf16", "cold", m, n, k, product_s(m, n, k)));
        out.measurements.push_back(product("bf16", "steady", m, n, k, product_s(m, n, k) * 1.04));
      }
    }
  }
  return out;
}

}  // namespace steelyard::test
