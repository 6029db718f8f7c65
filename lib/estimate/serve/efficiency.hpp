// The fitted parameters and offsets of serving (data/efficiency/serving.yaml and serving_stream.yaml).
#pragma once

#include "estimate/efficiencies.hpp"
#include "estimate/serve/law.hpp"
#include "estimate/serve/levels.hpp"

namespace steelyard::estimate {

struct ServeEfficiency {
  FittedFamily batching, stream;
  BatchingLaw batching_law;
  StreamLaw stream_law;

  ServeEfficiency() = default;
  ServeEfficiency(FittedFamily batching, FittedFamily stream);
  static const ServeEfficiency& embedded();
};

/// A law from values in the order of its parameters.
template <class LawType>
LawType law_of(std::span<const LawMember<LawType>> members, std::span<const double> values) {
  LawType out;
  for (std::size_t i = 0; i < members.size(); ++i) out.*members[i].member = values[i];
  return out;
}

/// Time of one output token (throughput) or of a request (latency) by the law alone, seconds.
double law_time_s(const ServeJob& job, ServeMetric metric, const BatchingLaw& batching, const StreamLaw& stream);

}  // namespace steelyard::estimate
