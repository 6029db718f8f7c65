#include "decide/model.hpp"

#include <algorithm>

namespace steelyard::decide {

Modelled model(const Workload& workload, const Configuration& configuration) {
  Modelled modelled;
  Plan& plan = modelled.plan;
  plan.tensor = workload.parallel.tensor.value_or(1);
  plan.pipeline = workload.parallel.pipeline.value_or(1);
  plan.context = workload.parallel.context.value_or(1);
  plan.data = std::max(1, configuration.gpus() / (plan.tensor * plan.pipeline * plan.context));
  plan.micro_batch = workload.batch.micro.value_or(1);
  plan.global_batch = workload.batch.global.value_or(plan.micro_batch * plan.data);
  return modelled;
}

Scaling scaling(const Workload&, const Configuration&, const Modelled&) { return {}; }

}  // namespace steelyard::decide
