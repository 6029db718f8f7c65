// The time of a training step of a language model: physical law x shrunk offsets, with its range and what it rests on.
#pragma once

#include <array>
#include <optional>
#include <steelyard/estimate.hpp>

#include "estimate/efficiencies.hpp"
#include "estimate/train/step.hpp"

namespace steelyard::estimate {

/// One job, ready to be timed under many plans. Keeps references to nothing but the efficiencies, which must outlive it.
class TrainingTimer {
 public:
  /// Empty where the model's size, the sequence length, the board, its peak or the rate between nodes is not known.
  static std::optional<TrainingTimer> make(const Workload& workload, const Configuration& configuration, const Efficiencies& efficiencies);

  /// Seconds of one optimizer step: what a plan search compares. Allocates nothing but on the first plan of its class (sharded or not, and how
  /// much is recomputed). For one thread.
  double step_time_s(const Plan& plan);
  /// The same with everything that goes into an answer, the plan's own offset included.
  TimeEstimate estimate(const Plan& plan) const;

  const TrainingJob& job() const { return job_; }

 private:
  TrainingTimer(TrainingJob job, const TrainEfficiencies& efficiencies);

  TrainingJob job_;
  const TrainEfficiencies* efficiencies_;
  std::array<double, 6> factors_{};  // exp(offsets) by class of plan; 0 until asked for
};

/// The time estimate of a language-model training step; without figures where `TrainingTimer::make` gives none.
TimeEstimate estimate_training(const Workload& workload, const Configuration& configuration, const Plan& plan, const Efficiencies& efficiencies);

}  // namespace steelyard::estimate
