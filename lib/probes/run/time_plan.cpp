#include "probes/run/time_plan.hpp"

#include <algorithm>

namespace steelyard::probes {

namespace {

constexpr double kMeasuringShare = 0.75;  // of its time a probe measures; the rest goes into allocation and checks
constexpr double kLeastShare = 0.25;      // however much of its time the probe before it lost
constexpr double kLeastStep_s = 0.1;      // of a probe, however little is left
constexpr double kGrace_s = 1;            // beyond the budget

}  // namespace

double weight_of(const std::string& probe) {
  static const std::map<std::string, double> weights{{"host.memory", 3}, {"host.latency", 1}, {"host.gemm", 3},     {"host.collectives", 5},
                                                     {"cuda.memory", 2}, {"cuda.gemm", 6},    {"cuda.transfer", 2}, {"cuda.peer", 2},
                                                     {"cuda.launch", 1}, {"cuda.stress", 2},  {"cuda.state", 0.5},  {"nccl.collectives", 8}};
  const auto found = weights.find(probe);
  return found == weights.end() ? 1 : found->second;
}

bool TimePlan::fits(const Step& step, double left_s) const {
  const auto known = lost_s_.find(step.target);
  return known == lost_s_.end() || left_s + kGrace_s > known->second;
}

double TimePlan::share_s(const Step& step, double weights, double left_s) {
  return std::max(kLeastStep_s, weights > 0 ? left_s * step.weight / weights : 0);
}

double TimePlan::measuring_s(const Step& step, double share_s) const {
  const auto known = lost_s_.find(step.target);
  if (known == lost_s_.end()) return share_s * kMeasuringShare;
  return std::max(share_s * kLeastShare, share_s - known->second);
}

void TimePlan::learn(const Step& step, double took_s, double measuring_s) {
  if (step.target != "host") lost_s_[step.target] = std::max(0.0, took_s - measuring_s);
}

}  // namespace steelyard::probes
