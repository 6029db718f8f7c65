#include <set>
#include <steelyard/memory.hpp>

#include "estimate/plan/bounds.hpp"
#include "support/catch.hpp"

using namespace steelyard;

namespace {

Model llama3(double params_b, int layers, int hidden, int heads, int ffn) {
  Model model;
  model.params_b = params_b;
  model.layers = layers;
  model.hidden = hidden;
  model.heads = heads;
  model.kv_heads = 8;
  model.ffn = ffn;
  model.vocab = 128256;
  model.gated_mlp = true;
  model.tied_embeddings = false;
  return model;
}

Board h100() {
  Board board;
  board.usable_memory_gib = 79.15;
  board.compute_capability = 9.0;
  board.dense_tflops = {{"bf16", 989}};
  board.memory_bandwidth_gb_per_s = 3350;
  board.nvlink_gb_per_s_bidirectional = 900;
  return board;
}

Configuration cluster(const Board& board, int gpus_per_node, int nodes = 1) {
  Configuration configuration;
  configuration.board = &board;
  configuration.gpus_per_node = gpus_per_node;
  configuration.nodes = nodes;
  configuration.intra_node = "nvlink";
  configuration.inter_node = {"infiniband", 3200.0, 8, 400.0, true};
  return configuration;
}

Workload finetune(Model model) {
  Workload workload;
  workload.task = "full_finetune";
  workload.method = "full";
  workload.model = std::move(model);
  workload.sequence_length = 4096;
  workload.batch.global = 64;
  return workload;
}

bool filled(const Plan& plan, const std::string& name) {
  return std::find(plan.filled_in.begin(), plan.filled_in.end(), name) != plan.filled_in.end();
}

}  // namespace

TEST_CASE("stated parts of a plan stay, the rest is filled in and named") {
  const Board board = h100();
  Workload workload = finetune(llama3(8.03, 32, 4096, 32, 14336));
  workload.parallel.tensor = 2;
  workload.parallel.pipeline = 1;
  workload.batch.micro = 1;
  workload.sharding = "zero1";
  workload.activation_checkpointing = "full";
  const PlanSearch search = search_plans(workload, cluster(board, 8));
  REQUIRE(search.fits);
  const Plan& plan = search.best.plan;
  CHECK(plan.tensor == 2);
  CHECK(plan.data == 4);
  CHECK(plan.accumulation == 16);
  CHECK(plan.sharding == "zero1");
  CHECK(plan.activation_checkpointing == "full");
  CHECK(plan.sequence_parallel);
  CHECK(plan.expert == 1);
  CHECK(filled(plan, "parallel.data"));
  CHECK(!filled(plan, "parallel.tensor"));
  CHECK(!filled(plan, "sharding"));
}

TEST_CASE("the best plan fits, uses all GPUs and divides the model") {
  const Board board = h100();
  for (const int nodes : {1, 2, 16}) {
    const Workload workload = finetune(llama3(70.55, 80, 8192, 64, 28672));
    const PlanSearch search = search_plans(workload, cluster(board, 8, nodes));
    const Plan& plan = search.best.plan;
    CHECK(plan.tensor * plan.pipeline * plan.context * plan.data == 8 * nodes);
    CHECK(64 % plan.tensor == 0);
    CHECK(80 % plan.pipeline == 0);
    CHECK(search.fits == (nodes > 1));
    const MemoryEstimate memory = estimate_memory(workload, cluster(board, 8, nodes), plan);
    CHECK(*memory.peak_gib == Approx(search.best.peak_gib));
    CHECK((*memory.peak_gib <= 0.95 * 79.15) == search.fits);
  }
}

TEST_CASE("without a fitting plan the nearest one is shown") {
  const Board board = h100();
  Workload workload = finetune(llama3(405.85, 126, 16384, 128, 53248));
  const PlanSearch search = search_plans(workload, cluster(board, 8));
  CHECK(!search.fits);
  CHECK(search.fitting == 0);
  CHECK(search.tried > 100);
  CHECK(search.best.because.find("no plan fits") == 0);
}

TEST_CASE("the given time decides among plans that fit") {
  const Board board = h100();
  const Workload workload = finetune(llama3(8.03, 32, 4096, 32, 14336));
  const StepTime likes_pipelines = [](const Plan& plan) -> std::optional<double> { return plan.global_batch * (plan.pipeline == 4 ? 1.0 : 2.0); };
  const PlanSearch search = search_plans(workload, cluster(board, 8), likes_pipelines);
  CHECK(search.best.plan.pipeline == 4);
  CHECK(*search.best.step_time_s == 64);
  REQUIRE(search.runners_up.size() == 3);
  for (const RatedPlan& other : search.runners_up) CHECK(other.because.find("% slower a sample") != std::string::npos);
  const StepTime unknown = [](const Plan&) { return std::nullopt; };
  CHECK(search_plans(workload, cluster(board, 8), unknown).fits);
}

TEST_CASE("a smaller share of memory asks for more recomputation or sharding") {
  const Board board = h100();
  Workload workload = finetune(llama3(8.03, 32, 4096, 32, 14336));
  workload.batch.micro = 4;
  PlanOptions tight;
  tight.memory_share = 0.35;
  const PlanSearch loose = search_plans(workload, cluster(board, 8)), strict = search_plans(workload, cluster(board, 8), {}, tight);
  CHECK(loose.fitting > strict.fitting);
  CHECK(strict.best.peak_gib <= 0.35 * 79.15);
}

TEST_CASE("the search fills no more of a board than the rules of step 1 allow") {
  // rules/reference/1_task/memory.yaml, task.memory_share
  CHECK(estimate::PlanBounds::embedded().memory_share == 0.95);
  const estimate::PlanBounds& bounds = estimate::PlanBounds::embedded();
  CHECK(bounds.largest_micro_batch > 1);
  CHECK(bounds.largest_tensor > 1);
  CHECK(bounds.largest_context > 1);
  CHECK(bounds.long_context_tokens > 1000);
  for (const double usual : {bounds.usual_tflops, bounds.usual_memory_gb_per_s, bounds.usual_nvlink_gb_per_s, bounds.usual_pcie_gb_per_s,
                             bounds.usual_network_gb_per_s, bounds.collective_latency_us})
    CHECK(usual > 0);
}

TEST_CASE("only as many layers are recomputed as memory asks for") {
  const Board board = h100();
  Workload workload = finetune(llama3(8.03, 32, 4096, 32, 14336));
  workload.parallel.tensor = workload.parallel.pipeline = 1;
  workload.batch.micro = 4;
  workload.sharding = "zero3";
  const PlanSearch search = search_plans(workload, cluster(board, 8));
  CHECK(search.fits);
  CHECK(search.best.plan.activation_checkpointing == "selective");
  Plan plan = search.best.plan;
  CHECK(plan.recomputed_layers > 0);
  CHECK(plan.recomputed_layers < 32);
  plan.recomputed_layers -= 1;
  CHECK(*estimate_memory(workload, cluster(board, 8), plan).peak_gib > 0.95 * 79.15);
  workload.activation_checkpointing = "selective";  // stated: scores only
  CHECK(search_plans(workload, cluster(board, 8)).best.plan.recomputed_layers == 0);
}

TEST_CASE("a stated batch is cut into whole micro-batches where a plan does that") {
  const Board board = h100();
  Workload workload = finetune(llama3(8.03, 32, 4096, 32, 14336));
  workload.batch.global = 24;
  workload.batch.micro = 4;
  workload.sharding = "zero3";
  const PlanSearch search = search_plans(workload, cluster(board, 8));  // 8 copies would take 32 samples a round
  REQUIRE(search.fits);
  CHECK(24 % (search.best.plan.data * 4) == 0);
  CHECK(search.best.plan.accumulation * search.best.plan.data * 4 == 24);
  workload.parallel.tensor = workload.parallel.pipeline = 1;  // then no plan does
  CHECK(search_plans(workload, cluster(board, 8)).best.plan.data == 8);
}

TEST_CASE("degrees that can't be used are kept and named") {
  const Board board = h100();
  Workload workload = finetune(llama3(32.8, 64, 5120, 40, 27648));
  workload.task = "llm_inference";
  workload.parallel.tensor = 7;
  workload.parallel.pipeline = 1;
  workload.parallel.data = 1;
  const PlanSearch heads = search_plans(workload, cluster(board, 7));
  CHECK(heads.best.plan.tensor == 7);
  REQUIRE(heads.faults.size() == 1);
  CHECK(heads.faults[0] == "tensor 7 does not divide the 40 attention heads");
  workload.parallel.tensor = 8;
  CHECK(search_plans(workload, cluster(board, 4)).faults.at(0) == "the stated degrees ask for 8 GPUs, there are 4");
  workload.task = "full_finetune";
  workload.parallel.tensor = 4;
  workload.parallel.data.reset();
  const PlanSearch left_over = search_plans(workload, cluster(board, 6));
  CHECK(left_over.best.plan.tensor == 4);
  CHECK(left_over.faults.back() == "the stated degrees do not divide the 6 GPUs");
}

TEST_CASE("hybrid sharding takes the smallest group of nodes that fits") {
  const Board board = h100();
  Workload workload = finetune(llama3(70.55, 80, 8192, 64, 28672));
  workload.sharding = "hsdp";
  workload.parallel.tensor = workload.parallel.pipeline = 1;
  workload.batch.micro = 1;
  workload.batch.global = 256;
  workload.activation_checkpointing = "full";
  const PlanSearch search = search_plans(workload, cluster(board, 8, 16));
  CHECK(search.fits);
  CHECK(search.best.plan.shard_group == 32);
}

TEST_CASE("frameworks that spread experts may, others don't") {
  const Board board = h100();
  Model mixtral = llama3(0, 32, 4096, 32, 14336);
  mixtral.params_b.reset();
  mixtral.experts = 8;
  mixtral.experts_per_token = 2;
  Workload workload = finetune(mixtral);
  workload.software.framework = "DeepSpeed";
  CHECK(search_plans(workload, cluster(board, 8, 4)).best.plan.expert == 1);
  workload.software.framework = "Megatron-LM";
  const StepTime likes_experts = [](const Plan& plan) -> std::optional<double> { return plan.global_batch / double(plan.expert); };
  CHECK(search_plans(workload, cluster(board, 8, 4), likes_experts).best.plan.expert == 8);
}

TEST_CASE("a model without layers is only copied or sharded") {
  const Board board = h100();
  Workload workload;
  workload.task = "vision_training";
  workload.model = Model{};
  workload.model->params_b = 0.025;
  workload.batch.global = 256;
  const Plan plan = fill_plan(workload, cluster(board, 8));
  CHECK(plan.tensor == 1);
  CHECK(plan.pipeline == 1);
  CHECK(plan.data == 8);
  CHECK(plan.sharding == "ddp");
  CHECK(fill_plan(workload, cluster(board, 1)).sharding == "none");
}

TEST_CASE("serving fills replicas") {
  const Board board = h100();
  Workload workload;
  workload.task = "llm_inference";
  workload.model = llama3(8.03, 32, 4096, 32, 14336);
  CHECK(search_plans(workload, cluster(board, 8)).best.plan.data == 8);  // eight copies need no exchange
  workload.model = llama3(70.55, 80, 8192, 64, 28672);
  const PlanSearch large = search_plans(workload, cluster(board, 8));
  CHECK(large.fits);
  CHECK(large.best.plan.tensor == 4);  // two GPUs would hold the weights, but leave little for the cache
  CHECK(large.best.plan.data == 2);
  workload.serving = Serving{};
  workload.serving->concurrency = 1;
  CHECK(search_plans(workload, cluster(board, 8)).best.plan.tensor == 8);  // one request at a time: all GPUs on it
}

// vllm-project/vllm#17569: 1,536 columns over 8 GPUs cut blocks of 128.
TEST_CASE("tensor parallelism does not cut blocks of weights that share a scale") {
  Board board = h100();
  Model model = llama3(235, 94, 4096, 64, 12288);
  model.kv_heads = 4, model.experts = 128, model.experts_per_token = 8, model.moe_ffn = 1536;
  Workload workload;
  workload.task = "llm_inference";
  workload.model = model;
  workload.serving = Serving{};
  workload.precision = "fp8";
  const auto best = [&] { return fill_plan(workload, cluster(board, 8)); };
  CHECK(best().expert == 1);
  workload.model->stored_format = "fp8", workload.model->stored_block = 128;
  CHECK(12 % best().tensor == 0);
  CHECK(best().expert == 1);
  board.usable_memory_gib = 40;  // 4 GPUs don't hold it: 8 do, with whole experts
  CHECK(best().tensor == 8);
  CHECK(best().expert == 8);
  workload.parallel.tensor = 8;  // what is stated stays, for the rules to judge
  CHECK(best().expert == 1);
  workload.parallel = {};
  board.usable_memory_gib = 79.15;
  workload.model = llama3(32, 64, 5120, 64, 6 * 128);
  workload.model->stored_format = "fp8", workload.model->stored_block = 128;
  CHECK(6 % best().tensor == 0);
  workload.precision = "bf16";  // another copy of the weights
  workload.model->params_b = 400;
  CHECK(best().tensor == 8);
}

TEST_CASE("searching the plans of 1,024 GPUs stays small") {
  const Board board = h100();
  Workload workload = finetune(llama3(405.85, 126, 16384, 128, 53248));
  workload.batch.global = 2048;
  const PlanSearch search = search_plans(workload, cluster(board, 8, 128));
  CHECK(search.fits);
  CHECK(search.tried < 20000);
}
