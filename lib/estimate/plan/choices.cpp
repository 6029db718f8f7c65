#include "estimate/plan/choices.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "estimate/plan/bounds.hpp"

namespace steelyard::estimate {

namespace {

std::vector<int> divisors(int number, int most) {
  std::vector<int> found;
  for (int one = 1; one <= std::min(number, most); ++one) {
    if (number % one == 0) found.push_back(one);
  }
  return found;
}

std::vector<int> powers_of_two(int most) {
  std::vector<int> found;
  for (int one = 1; one <= most; one *= 2) found.push_back(one);
  return found;
}

bool heads_divide(const Shape& shape, int tensor) {
  if (!shape.transformer || tensor == 1) return true;
  const int heads = static_cast<int>(shape.heads), kv_heads = static_cast<int>(shape.kv_heads);
  const bool keys = shape.latent_attention || kv_heads % tensor == 0 || tensor % std::max(1, kv_heads) == 0;
  return heads % tensor == 0 && keys;
}

// Weights that share a scale in blocks are divided between blocks only (rules task.plan.blocks and task.plan.expert_blocks).
bool cuts_blocks(double width, int block, int tensor) { return block > 0 && static_cast<int>(width) % (block * tensor) != 0; }

class Chooser {
 public:
  Chooser(const Workload& workload, const Configuration& configuration, const MemoryJob& job)
      : workload_(workload), configuration_(configuration), job_(job) {}

  PlanChoices choose() {
    choices_.training = trains(workload_.task);
    choices_.gpus = std::max(1, configuration_.gpus());
    choices_.gpus_per_node = std::max(1, configuration_.gpus_per_node);
    choices_.data = workload_.parallel.data;
    choices_.global_batch = workload_.batch.global;
    choices_.batch_stated = choices_.training && workload_.batch.global && workload_.batch.micro;
    choices_.sequence_parallel = workload_.parallel.sequence_parallel;
    choices_.virtual_pipeline = workload_.parallel.virtual_pipeline.value_or(1);
    if (!workload_.offload.empty()) choices_.offload = workload_.offload;
    choose_tensor();
    choose_pipeline();
    choose_rest();
    if (!choices_.data) open("parallel.data");
    if (choices_.training && !choices_.global_batch) open("batch.global");
    check();
    return std::move(choices_);
  }

 private:
  void open(const char* name) { choices_.filled_in.push_back(name); }

  std::vector<int> stated_or(const std::optional<int>& stated, const char* name, const std::vector<int>& tries) {
    if (stated) return {std::max(1, *stated)};
    open(name);
    return tries.empty() ? std::vector<int>{1} : tries;
  }

  // Tensor parallelism stays inside a node, except where a node has one GPU only.
  void choose_tensor() {
    std::vector<int> tries;
    for (const int one : divisors(choices_.gpus_per_node, bounds_.largest_tensor)) {
      if (job_.shape.transformer && heads_divide(job_.shape, one) && dense_blocks_divide(one)) tries.push_back(one);
    }
    choices_.tensor = stated_or(workload_.parallel.tensor, "parallel.tensor", tries);
  }

  bool dense_blocks_divide(int tensor) const {
    return tensor == 1 || job_.shape.dense_layers <= 0 || !cuts_blocks(job_.shape.ffn, job_.stored_block, tensor);
  }

  void choose_pipeline() {
    std::vector<int> tries;
    if (job_.shape.transformer) {
      const int layers = static_cast<int>(job_.shape.layers);
      for (const int one : divisors(choices_.gpus, layers)) {
        if (choices_.training ? layers % one == 0 : one <= configuration_.nodes) tries.push_back(one);
      }
    }
    choices_.pipeline = stated_or(workload_.parallel.pipeline, "parallel.pipeline", tries);
  }

  std::vector<int> expert_tries() const {
    const int experts = static_cast<int>(job_.shape.experts);
    std::vector<int> tries;
    for (const int one : powers_of_two(std::min(experts, choices_.gpus))) {
      if (experts % one == 0) tries.push_back(one);
    }
    return tries;
  }

  // Served experts are spread over the tensor group where their width can't be divided.
  std::vector<int> served_expert_tries() const {
    std::vector<int> tries{1};
    for (const int one : choices_.tensor) {
      if (choices_.expert_blocks > 0 && choices_.expert_blocks % one != 0 && static_cast<int>(job_.shape.experts) % one == 0) tries.push_back(one);
    }
    return tries;
  }

  std::vector<std::string> sharding_tries() const {
    if (!choices_.training) return {"none"};
    if (choices_.gpus == 1) return {"none"};
    if (!job_.framework->partition) return {"zero1"};  // Megatron and its kin: the distributed optimizer
    return {"ddp", "zero1", "zero2", "zero3"};
  }

  void choose_rest() {
    const bool long_context = choices_.training && job_.shape.transformer && job_.sequence >= bounds_.long_context_tokens;
    // Beside degrees that are stated, one that is not named is not used.
    const bool some_stated = workload_.parallel.tensor || workload_.parallel.pipeline;
    const bool spreads_experts = choices_.training && !some_stated && (job_.framework->expert_parallel || workload_.software.framework.empty());
    choices_.context = stated_or(workload_.parallel.context, "parallel.context",
                                 long_context && !some_stated ? powers_of_two(bounds_.largest_context) : std::vector<int>{1});
    const bool blocks_open = !choices_.training && !workload_.parallel.tensor && !workload_.parallel.expert;
    if (blocks_open && job_.stored_block > 0 && job_.shape.experts > 0)
      choices_.expert_blocks = static_cast<int>(job_.shape.expert_ffn) / job_.stored_block;
    choices_.expert = stated_or(workload_.parallel.expert, "parallel.expert", spreads_experts ? expert_tries() : served_expert_tries());
    const int most = choices_.global_batch ? std::min(*choices_.global_batch, bounds_.largest_micro_batch) : bounds_.largest_micro_batch;
    choices_.micro = choices_.training ? stated_or(workload_.batch.micro, "batch.micro", powers_of_two(most))
                                       : std::vector<int>{workload_.batch.micro.value_or(1)};
    choices_.sharding = {workload_.sharding};
    if (workload_.sharding.empty()) {
      choices_.sharding = sharding_tries();
      open("sharding");
    }
    choices_.recompute = {workload_.activation_checkpointing};
    if (workload_.activation_checkpointing.empty()) {
      choices_.recompute = choices_.training ? std::vector<std::string>{"none", "selective", "full"} : std::vector<std::string>{"none"};
      choices_.open_recompute = choices_.training && job_.shape.transformer && !job_.measured;
      if (choices_.training) open("activation_checkpointing");
    }
  }

  // Stated degrees that can't be used are kept, so that the answer can say what is wrong with them.
  void check() {
    const int tensor = choices_.tensor.front();
    if (workload_.parallel.tensor && !heads_divide(job_.shape, tensor)) {
      choices_.faults.push_back("tensor " + std::to_string(tensor) + " does not divide the " + format_number(job_.shape.heads) + " attention heads");
    }
    const Parallel& stated = workload_.parallel;
    const int used = stated.tensor.value_or(1) * stated.pipeline.value_or(1) * stated.context.value_or(1) * stated.data.value_or(1);
    if (used > choices_.gpus) {
      choices_.faults.push_back("the stated degrees ask for " + std::to_string(used) + " GPUs, there are " + std::to_string(choices_.gpus));
    }
  }

  const Workload& workload_;
  const Configuration& configuration_;
  const MemoryJob& job_;
  const PlanBounds& bounds_ = PlanBounds::embedded();
  PlanChoices choices_;
};

}  // namespace

PlanChoices plan_choices(const Workload& workload, const Configuration& configuration, const MemoryJob& job) {
  return Chooser(workload, configuration, job).choose();
}

std::optional<Plan> make_plan(const PlanChoices& choices, int tensor, int pipeline, int context, int expert, int micro) {
  const int split = tensor * pipeline * context;
  if (!choices.data && (split > choices.gpus || choices.gpus % split != 0)) return std::nullopt;
  const int data = choices.data ? *choices.data : choices.gpus / split;
  // Experts are spread where tensor parallelism would cut their blocks, and only there.
  if (choices.expert_blocks > 0 && expert != (choices.expert_blocks % tensor == 0 ? 1 : tensor)) return std::nullopt;
  if (expert > 1 && choices.training && (data * context * tensor) % expert != 0) return std::nullopt;
  Plan plan;
  plan.tensor = tensor;
  plan.pipeline = pipeline;
  plan.context = context;
  plan.expert = expert;
  plan.virtual_pipeline = choices.virtual_pipeline;
  plan.data = std::max(1, data);
  plan.sequence_parallel = choices.sequence_parallel.value_or(tensor > 1 && choices.training);
  plan.micro_batch = micro;
  const int round = micro * plan.data;
  plan.global_batch = choices.global_batch.value_or(round * (pipeline > 1 ? pipeline * 4 : 1));
  plan.accumulation = std::max(1, (plan.global_batch + round - 1) / round);
  plan.offload = choices.offload;
  return plan;
}

std::vector<int> shard_groups(const Plan& plan, int gpus_per_node) {
  const int ranks = plan.data * plan.context;
  const int inside = std::max(1, gpus_per_node / std::max(1, plan.tensor * plan.pipeline));
  std::vector<int> groups;
  for (int group = std::min(inside, ranks); group < ranks; group *= 2) {
    if (ranks % group == 0) groups.push_back(group);
  }
  groups.push_back(ranks);
  return groups;
}

}  // namespace steelyard::estimate
