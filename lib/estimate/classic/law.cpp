#include "estimate/classic/law.hpp"

#include <cmath>

namespace steelyard::estimate {

namespace {

// Operations a byte of the usual training: an A100 at 40 % of 300 TFLOP/s beside 2 TB/s, a balanced machine for these models.
constexpr double usual_operations_per_byte = 0.4 * 300e12 / 2000e9;

std::vector<ClassicParameter> make_parameters() {
  std::vector<ClassicParameter> out{
      {"matrix_share", 0.4, 0.3}, {"plain_share", 0.8, 0.3}, {"exchange", 0.5, 0.5}, {"network", 0.5, 0.5}, {"full_precision_bytes", 1.7, 0.15}};
  const ClassicLaw prior;
  for (int kind = 0; kind < classic_kinds; ++kind) out.push_back({std::string("memory.") + classic_kind_word(ClassicKind(kind)), 1, 0.7});
  for (int kind = 0; kind < classic_kinds; ++kind)
    out.push_back({std::string("launch_ms.") + classic_kind_word(ClassicKind(kind)), prior.launch_ms[kind], 1});
  return out;
}

}  // namespace

const std::vector<ClassicParameter>& classic_parameters() {
  static const std::vector<ClassicParameter> all = make_parameters();
  return all;
}

ClassicLaw classic_law(std::span<const double> values) {
  ClassicLaw out{values[0], values[1], values[2], values[3], values[4], {}, {}};
  for (int kind = 0; kind < classic_kinds; ++kind) out.memory[kind] = values[5 + kind], out.launch_ms[kind] = values[5 + classic_kinds + kind];
  return out;
}

ClassicTimes classic_times(const ClassicJob& job, const ClassicLaw& law) {
  const int kind = static_cast<int>(job.kind);
  const double units_per_pass = job.micro * job.units_per_sample;
  ClassicTimes out;
  out.compute = job.operations / (job.peak * (job.matrix_units ? law.matrix_share : law.plain_share));
  out.memory = law.memory[kind] * job.operations / usual_operations_per_byte / job.memory_rate * (job.half ? 1 : law.full_precision_bytes);
  out.launch = law.launch_ms[kind] * 1e-3 / units_per_pass;
  const double n = job.per_node;
  if (job.link > 0) out.exchange += law.exchange * 2 * (n - 1) / n * job.gradient_bytes / job.link / units_per_pass;
  if (job.network > 0) out.exchange += law.network * 2 * job.gradient_bytes / job.network / units_per_pass;
  const double own = out.compute + out.memory + out.launch;
  out.total = std::hypot(own, out.exchange);
  return out;
}

}  // namespace steelyard::estimate
