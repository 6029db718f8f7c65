// What the text table and the JSON of nccl-tests have in common: rows of one collective, and what follows from them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <steelyard/evidence.hpp>
#include <string>
#include <vector>

namespace steelyard::evidence {

/// One placement of one row. Rates in 1e9 bytes/s.
struct NcclPlacement {
  double time_us = 0, algbw_gb_per_s = 0, busbw_gb_per_s = 0;
  std::optional<double> wrong;  // absent: not checked
};

struct NcclRow {
  std::int64_t bytes = 0, count = 0;
  std::string reduction;  // "sum" "none"; empty where the column is blank
  std::optional<std::int64_t> root;
  std::optional<NcclPlacement> out_of_place, in_place;

  double best_busbw() const;
};

struct NcclDevice {
  std::string host, pci, name;
};

struct NcclCurve {
  std::string collective;                              // from a name in the text; empty where there is none
  bool root_column = false, reduction_column = false;  // of the header
  std::vector<NcclRow> rows;
  std::vector<NcclDevice> devices;
  std::optional<std::int64_t> log_ranks;
  bool devices_are_all_ranks = true;  // false for JSON written without MPI, which lists one process only
};

/// ranks, nodes, gpu, shared_gpu, rows, peak_*, wrong_values, latency_us, drop_at_bytes; returns the collective.
std::string describe_curve(const NcclCurve& curve, Value& facts);

/// "all_reduce_perf", "AllReduce", "nccl_alltoall_perf" → the name used in records; empty where it is no collective.
std::string collective_name(std::string_view text);

}  // namespace steelyard::evidence
