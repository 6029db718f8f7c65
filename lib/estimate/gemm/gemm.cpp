#include <cmath>
#include <steelyard/kernels.hpp>

#include "estimate/gemm/efficiency.hpp"

namespace steelyard {

GemmEstimate estimate_gemm(const Board& board, double m, double n, double k, std::string_view format) {
  using namespace estimate;
  GemmEstimate out;
  const Processor processor = processor_of(board, format);
  if (processor.peak_tflops <= 0) out.missing.push_back("board.dense_tflops." + std::string(format));
  if (processor.memory_gb_per_s <= 0) out.missing.push_back("board.memory_bandwidth_gb_per_s");
  if (!(m > 0 && n > 0 && k > 0)) out.missing.push_back("gemm.m, gemm.n, gemm.k above 0");
  if (!out.missing.empty()) return out;
  const GemmEfficiency& efficiency = GemmEfficiency::embedded();
  const double time_us = gemm_time_us(m, n, k, processor, gemm_format(format), efficiency.law(format, board));
  const double reach = std::exp(efficiency.fitted.interval_width * efficiency.log_sd(format, board));
  out.time_us = time_us;
  out.tflops = 2 * m * n * k / (time_us * 1e6);
  out.interval = Interval{time_us / reach, time_us * reach, "time_us"};
  out.confidence = efficiency.seen(format, board) ? "same_gpu" : "extrapolated";
  return out;
}

}  // namespace steelyard
