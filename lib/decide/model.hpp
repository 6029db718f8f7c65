// The quantities that rules judge: the plan, the memory it takes, the time it needs.
#pragma once

#include <mutex>
#include <optional>
#include <steelyard/configuration.hpp>
#include <steelyard/estimate.hpp>
#include <steelyard/memory.hpp>
#include <steelyard/workload.hpp>
#include <string>
#include <vector>

#include "decide/job.hpp"

namespace steelyard::decide {

/// What the estimate says of one workload on one configuration.
struct Modelled {
  Plan plan;
  MemoryEstimate memory;
  TimeEstimate time;
  std::vector<std::string> plan_faults;  // why stated degrees can't be used; empty where they can
  std::vector<MeasuredFigure> measured;  // figures of a calibration that the time rests on
};

Modelled model(const Job& job, const Configuration& configuration);

/// Work a second, whatever the job counts in: for comparing configurations under the same job.
std::optional<double> work_rate(const Modelled& modelled);
/// The plan is possible and its memory is there.
bool runs(const Modelled& modelled);

/// How much the cards and nodes beyond the first bring: the same job on one node of the configuration, and on one GPU.
struct Scaling {
  std::optional<bool> one_node_fits, one_gpu_fits;
  std::optional<double> speedup_over_one_node, speedup_over_one_gpu;
};
Scaling scaling(const Job& job, const Configuration& configuration, const Modelled& whole);

/// All of a configuration that `model` and `scaling` look at: machines that agree in it share their model.
Configuration modelled_part(const Configuration& configuration);

/// The model of one such part; how it scales is computed when first asked for. Safe to ask from several threads.
class SharedModel {
 public:
  SharedModel(const Job& job, Configuration part);

  const Modelled& modelled() const { return modelled_; }
  const Scaling& scaling() const;

 private:
  const Job& job_;
  Configuration part_;
  Modelled modelled_;
  mutable std::once_flag scaled_;
  mutable Scaling scaling_;
};

}  // namespace steelyard::decide
