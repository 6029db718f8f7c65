// The time law of one matrix product C[m,n] = A[m,k] B[k,n] on one board.
#pragma once

#include <steelyard/board.hpp>
#include <string_view>

namespace steelyard::estimate {

/// What the law needs of a board.
struct Processor {
  double peak_tflops = 0;      // dense, of the operands' format
  double memory_gb_per_s = 0;  // vendor peak, 1e9 bytes/s
  double multiprocessors = 100;
  double cache_mb = 0;  // last-level cache, 1e6 bytes; 0: none to speak of
};

/// What the law needs of a number format.
struct GemmFormat {
  double bytes_per_element = 2;  // A and B as multiplied; C is written in 16 bits
  double cast_bytes = 0;         // moved per element of A to quantise it first
  bool splits_k = true;          // the kernels can share K between multiprocessors
};

/// "bf16" "fp16" "fp8" "nvfp4" ...: fp4 formats carry their block scales (4.5 bits). Unknown formats count as 16-bit.
GemmFormat gemm_format(std::string_view format);

/// Parameters of the law, fitted per format (tools/fit/gemm.cpp).
struct GemmLaw {
  double launch_us = 2;       // start of the kernel, of the quantisation too
  double rate = 0.78;         // share of peak inside a full wave
  double memory = 0.75;       // share of the memory's peak
  double k_step_us = 0.001;   // latency of one step along K in one tile
  double cast = 0.35;         // share of the memory's peak while quantising
  double cache_tb_per_s = 3;  // rate out of the last-level cache
  double cache_share = 0.35;  // share of that cache that a product may use
  double fill = 130;          // K steps lost at the start of a tile
  double tile_128 = 1.02;     // time per operation of smaller tiles against 128 x 256
  double tile_64 = 1.1;
  double tile_small = 1.3;
  double tail = 0.3;      // share of a wave lost at the end where there are many waves
  double split_us = 0.7;  // price of sharing K, times log2(parts + 1)
};

/// Microseconds. `m`, `n`, `k` positive.
///   t = launch + (tiles^4 + bytes^4)^(1/4) + cast
///   tiles = min over tile shapes a x b and parts s of K: waves x ((2ab(k/s + fill) penalty / rate_of_one_multiprocessor)^4 + (k_step k/s)^4)^(1/4) +
///   price of s waves = ceil(w) below 4, else w + tail, with w = ceil(m/a) ceil(n/b) s / multiprocessors
/// Sources: the wave model is NVIDIA's "Matrix multiplication background user's guide"; the split of K is "Stream-K", arXiv:2301.03598.
double gemm_time_us(double m, double n, double k, const Processor& processor, const GemmFormat& format, const GemmLaw& law);

/// Multiprocessors and cache of a board (data/efficiency/processors.yaml), peak and memory rate from the board itself; peak 0: not known.
Processor processor_of(const Board& board, std::string_view format);

}  // namespace steelyard::estimate
