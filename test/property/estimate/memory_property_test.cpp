// What must hold for any job: more sharing never needs more memory, more work never less.
#include <random>
#include <steelyard/memory.hpp>

#include "support/catch.hpp"

using namespace steelyard;

namespace {

struct Sample {
  Workload workload;
  Configuration configuration;
  Plan plan;
};

class Samples {
 public:
  Samples() { board_.usable_memory_gib = 79.15; }

  Sample next() {
    Sample sample;
    Workload& workload = sample.workload;
    const int heads = pick({8, 16, 32, 64});
    Model model;
    model.layers = pick({8, 24, 32, 80});
    model.hidden = heads * 128;
    model.heads = heads;
    model.kv_heads = pick({4, 8});
    model.ffn = heads * 128 * pick({2, 3, 4});
    model.vocab = pick({32000, 128256});
    model.gated_mlp = pick({0, 1}) == 1;
    model.experts = pick({0, 0, 8});
    model.experts_per_token = 2;
    workload.task = "pretrain";
    workload.method = std::vector<const char*>{"full", "lora", "qlora"}[pick({0, 0, 1, 2})];
    workload.model = model;
    workload.sequence_length = pick({512, 2048, 8192});
    workload.software.framework = std::vector<const char*>{"", "Megatron-LM", "llm-foundry"}[pick({0, 1, 2})];
    sample.configuration.board = &board_;
    sample.configuration.gpus_per_node = 8;
    sample.configuration.nodes = pick({1, 2, 8});
    Plan& plan = sample.plan;
    plan.tensor = pick({1, 2, 4});
    plan.pipeline = pick({1, 2, 4});
    plan.data = pick({1, 2, 8});
    plan.micro_batch = pick({1, 2, 8});
    plan.accumulation = pick({1, 4, 16});
    plan.sequence_parallel = pick({0, 1}) == 1;
    plan.sharding = std::vector<const char*>{"ddp", "zero1", "zero2", "zero3", "fsdp"}[pick({0, 1, 2, 3, 4})];
    plan.activation_checkpointing = std::vector<const char*>{"none", "selective", "full"}[pick({0, 1, 2})];
    return sample;
  }

 private:
  int pick(std::vector<int> values) { return values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random_)]; }

  std::mt19937 random_{20261130};
  Board board_;
};

MemoryEstimate of(const Sample& sample) { return estimate_memory(sample.workload, sample.configuration, sample.plan); }

template <class Change>
void never_more_after(const Change& change) {
  Samples samples;
  for (int i = 0; i < 500; ++i) {
    Sample sample = samples.next();
    const double before = *of(sample).run_gib;
    CAPTURE(i, sample.plan.sharding, sample.plan.activation_checkpointing, sample.plan.tensor, sample.plan.pipeline, sample.workload.method);
    change(sample);
    CHECK(*of(sample).run_gib <= before * (1 + 1e-12));
  }
}

}  // namespace

TEST_CASE("a smaller batch or a shorter sequence never needs more memory") {
  never_more_after([](Sample& sample) { sample.plan.micro_batch = 1; });
  never_more_after([](Sample& sample) { sample.workload.sequence_length = *sample.workload.sequence_length / 2; });
}

TEST_CASE("sequence parallelism and more data-parallel ranks never need more memory") {
  never_more_after([](Sample& sample) { sample.plan.sequence_parallel = true; });
  never_more_after([](Sample& sample) {
    if (sample.plan.data > 1) sample.plan.data *= 2;
  });
}

TEST_CASE("selective recomputation never needs more memory than none") {
  never_more_after([](Sample& sample) {
    if (sample.plan.activation_checkpointing == "none") sample.plan.activation_checkpointing = "selective";
  });
}

TEST_CASE("offload and smaller optimizers never need more GPU memory") {
  never_more_after([](Sample& sample) { sample.plan.offload = "optimizer"; });
  never_more_after([](Sample& sample) { sample.workload.optimizer = "adam8bit"; });
}

TEST_CASE("figures are finite, positive and consistent") {
  Samples samples;
  for (int i = 0; i < 500; ++i) {
    const Sample sample = samples.next();
    const MemoryEstimate memory = of(sample);
    CHECK(std::isfinite(*memory.peak_gib));
    CHECK(*memory.peak_gib >= *memory.run_gib);
    CHECK(*memory.run_gib >= *memory.fixed_gib);
    CHECK(*memory.fixed_gib >= *memory.states_gib);
    CHECK(*memory.states_gib > 0);
    for (const MemoryPhase& phase : memory.phases) CHECK(phase.gib <= *memory.peak_gib + 1e-9);
    CHECK((memory.failing_phase.empty()) == (*memory.peak_gib <= *memory.usable_gib));
  }
}
