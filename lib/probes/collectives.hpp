// The loop over collectives and sizes that the host and the NCCL backend share: same sizes, same statistics, same bandwidth definitions.
#pragma once

#include <string>

#include "probes/probe.hpp"

namespace steelyard::probes {

/// One way to run collectives. Every rank calls everything in the same order; times and counts are those over all ranks.
class CollectiveEngine {
 public:
  virtual ~CollectiveEngine() = default;
  virtual std::string backend() const = 0;  // "host" "nccl"
  virtual int ranks() const = 0;
  virtual int nodes() const = 0;
  virtual double most_bytes() const = 0;   // largest buffer that memory allows
  virtual std::string method() const = 0;  // "probe host 1 over mpi"
  /// Makes buffers for a collective of `bytes` (as nccl-tests counts them) and fills them with a pattern whose result is known.
  virtual void prepare(const std::string& kind, double bytes) = 0;
  /// Runs it that often; seconds, the same figure on every rank.
  virtual double timed(int repeats) = 0;
  /// Runs it once and compares every element with the expected one: wrong elements over all ranks.
  virtual double wrong() = 0;
  /// The largest of all ranks' values, the same figure on every rank.
  virtual double agreed(double value) = 0;
  /// Seconds of the clock by which time is used up.
  virtual double clock_s() const { return now_s(); }
};

/// Measures every kind; throws ProbeFailure where a result is wrong, before any speed of that size is reported.
void measure_collectives(CollectiveEngine& engine, const Request& request, Output& output);

/// The size rounded down so that every rank has the same whole number of float elements, at least one.
double even_bytes(double bytes, int ranks);

/// The pattern of the buffers: small whole numbers, so that sums of up to 2^20 ranks are exact in float.
/// Element `index` of the buffer that a rank puts in.
inline float pattern(int rank, std::size_t index) { return static_cast<float>((static_cast<std::size_t>(rank) * 5 + index) % 13); }

}  // namespace steelyard::probes
