// The smallest parts of the estimate, for checking it: one matrix product, one collective.
#pragma once

#include <optional>
#include <steelyard/board.hpp>
#include <steelyard/configuration.hpp>
#include <steelyard/estimate.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard {

/// Time of one matrix product. Empty = cannot be told; `missing` then names the facts that would tell.
struct GemmEstimate {
  std::optional<double> time_us, tflops;
  std::optional<Interval> interval;  // of "time_us"
  std::string confidence;            // "same_gpu" "extrapolated"
  std::vector<std::string> missing;
};

/// C[m,n] = A[m,k] B[k,n] with operands of `format` ("bf16" "fp8" "nvfp4" ...), their quantisation included.
GemmEstimate estimate_gemm(const Board& board, double m, double n, double k, std::string_view format);

/// Time of one collective as nccl-tests measures it.
struct CollectiveEstimate {
  std::optional<double> time_us, busbw_gb_per_s;  // bus bandwidth as nccl-tests defines it, 1e9 bytes/s
  std::optional<Interval> interval;               // of "time_us"
  std::string confidence;                         // "same_gpu" "extrapolated"
  std::string link;                               // "nvlink4" "pcie4" "pcie4_staged" "network:efa" ...: what the time rests on
  std::vector<std::string> missing;
};

/// `kind` "all_reduce" "all_gather" "reduce_scatter" "alltoall" "broadcast" "reduce" "send_recv"; `bytes` as nccl-tests counts them: the whole
/// buffer. `algorithm` empty = NCCL's own choice, else "ring" "tree" "nvls"; `nccl` its version, empty = not said.
CollectiveEstimate estimate_collective(std::string_view kind, double bytes, const Configuration& configuration, std::string_view algorithm = {},
                                       std::string_view nccl = {});

}  // namespace steelyard
