#include <algorithm>
#include <cmath>
#include <steelyard/run_time.hpp>

#include "estimate/serve/efficiency.hpp"

namespace steelyard {

namespace estimate {

namespace {

template <class LawType>
LawType fitted_law(std::span<const LawMember<LawType>> members, const FittedFamily& family) {
  LawType out;
  for (const LawMember<LawType>& one : members) out.*one.member = family.parameter(one.name, one.median);
  return out;
}

/// Factor and sd of the log for one metric of a request.
struct Correction {
  double factor = 1, log_sd = 0;
};

Correction correction(const ServeJob& job, ServeMetric metric, const ServeEfficiency& efficiency) {
  const FittedFamily& family = job.single_stream ? efficiency.stream : efficiency.batching;
  const std::vector<Level> levels = job.single_stream ? stream_levels(job, metric, family.sigmas) : batching_levels(job, metric, family.sigmas);
  const Offsets::Sum sum = family.offsets.sum(levels);
  return {std::exp(sum.offset), std::hypot(std::sqrt(sum.variance), family.noise)};
}

std::string confidence_of(const ServeJob& job, const ServeEfficiency& efficiency) {
  const Offsets& offsets = (job.single_stream ? efficiency.stream : efficiency.batching).offsets;
  if (job.single_stream) return offsets.seen("decode board: " + job.board) ? "same_gpu_and_framework" : "extrapolated";
  if (!offsets.seen("board: " + job.board)) return "extrapolated";
  return offsets.seen("engine: " + job.engine) ? "same_gpu_and_framework" : "same_gpu";
}

/// The guide's factors: shares of the time not lost to exchange, not lost to memory, and of the peak in what is left.
void set_factors(const ServeJob& job, const ServeTimes& times, double factor, TimeEstimate& out) {
  const double token = times.compute + times.memory_bound + times.communication + times.host;
  if (token <= 0) return;
  out.breakdown_s = {{"compute", times.compute * factor},
                     {"memory_bound", times.memory_bound * factor},
                     {"communication_exposed", times.communication * factor},
                     {"host", times.host * factor}};
  const double stays = token - times.communication, rest = stays - times.memory_bound;
  const double peak_s = 2 * job.active * (1 + job.input / job.output) / (job.peak * job.tensor * job.pipeline);
  out.interconnect = stays / token;
  out.memory = stays > 0 ? rest / stays : 1.0;
  out.software = rest > 0 ? std::min(1.0, peak_s / rest) : 1.0;
  out.exchange_bytes_per_step = times.exchange_bytes;
}

}  // namespace

ServeEfficiency::ServeEfficiency(FittedFamily batching_family, FittedFamily stream_family)
    : batching(std::move(batching_family)),
      stream(std::move(stream_family)),
      batching_law(fitted_law(batching_parameters(), batching)),
      stream_law(fitted_law(stream_parameters(), stream)) {}

const ServeEfficiency& ServeEfficiency::embedded() {
  static const ServeEfficiency shipped(embedded_family("serving"), embedded_family("serving_stream"));
  return shipped;
}

double law_time_s(const ServeJob& job, ServeMetric metric, const BatchingLaw& batching, const StreamLaw& stream) {
  const ServeTimes times = job.single_stream ? stream_times(job, stream) : batching_times(job, batching);
  return metric == ServeMetric::latency ? times.latency : times.per_token;
}

}  // namespace estimate

TimeEstimate estimate_serving(const Workload& workload, const Configuration& configuration, const Plan& plan, std::vector<std::string>* missing) {
  using namespace estimate;
  TimeEstimate out;
  std::vector<std::string> unknown;
  const auto job = serve_job(workload, configuration, plan, unknown);
  if (missing) *missing = unknown;
  if (!job) return out;
  const ServeEfficiency& efficiency = ServeEfficiency::embedded();
  const ServeTimes times = job->single_stream ? stream_times(*job, efficiency.stream_law) : batching_times(*job, efficiency.batching_law);
  const Correction rate = correction(*job, ServeMetric::throughput, efficiency), delay = correction(*job, ServeMetric::latency, efficiency);
  out.output_tokens_per_s = 1 / (times.per_token * rate.factor);
  out.requests_per_s = *out.output_tokens_per_s / job->output;
  out.latency_ms = 1e3 * times.latency * delay.factor;
  // A request for one token asks for the time to the first token; any other for a rate.
  const bool first_token = job->output <= 1;
  const double value = first_token ? *out.latency_ms : *out.output_tokens_per_s;
  const FittedFamily& family = job->single_stream ? efficiency.stream : efficiency.batching;
  const char* kind = job->single_stream ? (first_token ? "prefill" : "decode") : job->experts > 0 ? "experts" : "dense";
  const double reach = std::exp(family.width(kind) * (first_token ? delay : rate).log_sd);
  out.interval = Interval{value / reach, value * reach, first_token ? "latency_ms" : "output_tokens_per_s"};
  out.confidence = confidence_of(*job, efficiency);
  set_factors(*job, times, rate.factor, out);
  return out;
}

}  // namespace steelyard
