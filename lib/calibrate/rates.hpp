// Rates from times: the definitions of nccl-tests (doc/PERFORMANCE.md) and of STREAM, for every backend alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steelyard::calibration {

/// The collectives that are measured, in the order in which they run.
const std::vector<std::string>& collective_kinds();

/// What share of `bytes` crosses each rank's link: 2 (n-1)/n for all_reduce, (n-1)/n for all_gather, reduce_scatter and alltoall, 1 for
/// send_recv. `bytes` is the larger of a rank's two buffers (all_gather: received; reduce_scatter: sent). Empty for other kinds.
std::optional<double> traffic_share(std::string_view kind, int ranks);
/// Bus bandwidth in 1e9 bytes/s: bytes / seconds x traffic share; 0 where the kind is not known.
double bus_gb_per_s(std::string_view kind, int ranks, double bytes, double seconds);
/// 1e9 bytes/s.
double gb_per_s(double bytes, double seconds);
/// Bytes moved by one pass over arrays of `bytes` each: copy reads one and writes one, triad (a = b + s c) reads two and writes one.
std::optional<double> stream_bytes(std::string_view kind, double array_bytes);
/// 1e12 operations/s of a matrix product of 2 m n k operations.
double tflops(double m, double n, double k, double seconds);

/// Powers of two from `least` to `most` bytes, both included (`most` rounded down to one), thinned to every second or every fourth until there are at
/// most `points`.
std::vector<double> size_ladder(double least, double most, int points);
/// How many points a budget allows where each gets `seconds_each`; at least `least`.
int points_for(double budget_s, double seconds_each, int least, int most);

}  // namespace steelyard::calibration
