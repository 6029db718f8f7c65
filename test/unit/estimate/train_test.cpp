#include "estimate/train/train.hpp"

#include <cmath>
#include <steelyard/catalog.hpp>

#include "estimate/train/levels.hpp"
#include "load/embedded.hpp"
#include "support/catch.hpp"

using namespace steelyard;
using namespace steelyard::estimate;

namespace {

Model gpt(int layers, int hidden, int vocab) {
  Model out;
  out.layers = layers;
  out.hidden = hidden;
  out.heads = hidden / 128;
  out.kv_heads = hidden / 128;
  out.head_dim = 128;
  out.ffn = 4 * hidden;
  out.gated_mlp = false;
  out.vocab = vocab;
  return out;
}

Workload training(Model model) {
  Workload out;
  out.task = "pretrain";
  out.model = std::move(model);
  out.precision = "bf16";
  out.sequence_length = 2048;
  out.software.framework = "Megatron-LM";
  return out;
}

Configuration cluster(const char* gpu, int gpus_per_node, int nodes, double gbit_per_s_per_node = 1600) {
  Configuration out;
  out.gpu = gpu;
  out.board = Catalog::embedded().find_board(gpu).resolved();
  REQUIRE(out.board);
  out.gpus_per_node = gpus_per_node;
  out.nodes = nodes;
  if (nodes > 1) out.inter_node = {"infiniband", gbit_per_s_per_node, std::nullopt, std::nullopt, true};
  return out;
}

Plan plan_of(int tensor, int pipeline, int data, int micro, int accumulation) {
  Plan out;
  out.tensor = tensor;
  out.pipeline = pipeline;
  out.data = data;
  out.micro_batch = micro;
  out.accumulation = accumulation;
  out.global_batch = micro * data * accumulation;
  out.sequence_parallel = tensor > 1;
  out.sharding = "zero1";
  return out;
}

double step_s(const Workload& workload, const Configuration& configuration, const Plan& plan) {
  const TimeEstimate estimate = estimate_training(workload, configuration, plan, Efficiencies::embedded());
  REQUIRE(estimate.step_time_s);
  return *estimate.step_time_s;
}

}  // namespace

TEST_CASE("the shipped efficiencies are whole") {
  Issues issues;
  for (const std::string_view name : load::embedded_names("data/efficiency/train.yaml")) read_fitted(load::embedded_document(name), issues);
  for (const Issue& issue : issues) FAIL_CHECK(to_string(issue));
  const Efficiencies& shipped = Efficiencies::embedded();
  CHECK(shipped.train.parameters.complete());
  CHECK(shipped.train.fitted.offsets.levels().size() > 100);
  CHECK(shipped.train.software.frameworks.size() > 5);
}

TEST_CASE("work of a GPT model: 72 B L s h^2 (1 + s/12h + V/12Lh) with causal attention") {
  // arXiv:2104.04473 counts full attention, s/6h, and the same for the rest.
  const double L = 96, h = 12288, V = 51200, s = 2048;
  const auto shape = transformer_shape(gpt(96, 12288, 51200));
  REQUIRE(shape);
  const double per_token = shape->weight_flops_per_token() + 3 * shape->attention_flops_per_token(s);
  CHECK(per_token == Approx(72 * L * h * h * (1 + s / (12 * h) + V / (12 * L * h))));
}

TEST_CASE("parameter counts follow from the published shapes") {
  for (const char* name : {"meta-llama/Meta-Llama-3-70B", "meta-llama/Llama-3.1-405B", "deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-235B-A22B"}) {
    const Model* model = Catalog::embedded().find_model(name).resolved();
    REQUIRE(model);
    Model bare = *model;
    bare.params_b.reset();
    const auto shape = transformer_shape(bare);
    REQUIRE(shape);
    INFO(name);
    CHECK(shape->params / 1e9 == Approx(*model->params_b).epsilon(0.01));
    const double active = shape->weight_flops_per_token() / 6e9 + (shape->vocab * shape->hidden) / 1e9;
    CHECK(active == Approx(model->params_active_b.value_or(*model->params_b)).epsilon(0.03));
  }
}

TEST_CASE("a model without a shape is taken as a usual one of its size, a model without a size is not guessed") {
  Model model;
  model.params_b = 70;
  const auto shape = transformer_shape(model);
  REQUIRE(shape);
  CHECK(shape->assumed);
  CHECK(shape->weight_flops_per_token() == Approx(6 * 70e9).epsilon(0.15));
  CHECK(!transformer_shape(Model{}));
}

TEST_CASE("published step times are met: GPT-3 175B on 64 A100 with full recomputation, 18.13 s") {
  // Korthikanti et al. 2022, table 5.
  Workload workload = training(gpt(96, 12288, 51200));
  workload.software.version = "2022";
  workload.precision = "fp16";
  workload.activation_checkpointing = "full";
  Plan plan = plan_of(8, 8, 1, 1, 64);
  plan.virtual_pipeline = 3;
  plan.activation_checkpointing = "full";
  CHECK(step_s(workload, cluster("A100-SXM4-80GB", 8, 8), plan) == Approx(18.13).epsilon(0.1));
}

TEST_CASE("more is never slower: bandwidth between nodes, NVLink, peak") {
  const Workload workload = training(gpt(40, 5120, 50304));
  Plan plan = plan_of(1, 1, 64, 1, 2);
  plan.sharding = "zero3";
  double before = 1e30;
  for (const double gbit : {10.0, 25.0, 100.0, 400.0, 1600.0, 3200.0}) {
    const double now = step_s(workload, cluster("A100-SXM4-80GB", 8, 8, gbit), plan);
    CHECK(now < before);
    before = now;
  }
  Configuration pcie = cluster("A100-SXM4-80GB", 8, 1), nvlink = pcie;
  pcie.intra_node = "pcie";
  nvlink.intra_node = "nvlink";
  CHECK(step_s(workload, nvlink, plan_of(8, 1, 1, 1, 8)) < step_s(workload, pcie, plan_of(8, 1, 1, 1, 8)));
  CHECK(step_s(workload, cluster("H100-SXM5-80GB", 8, 1), plan_of(1, 1, 8, 1, 8)) <
        step_s(workload, cluster("A100-SXM4-80GB", 8, 1), plan_of(1, 1, 8, 1, 8)));
}

TEST_CASE("boards without peer access stage their traffic and pay for it") {
  Workload workload = training(gpt(24, 2048, 50304));
  Configuration staged = cluster("RTX4090-24GB", 8, 1), direct = staged;
  staged.intra_node = direct.intra_node = "pcie";
  staged.gpu_peer_access = false;
  direct.gpu_peer_access = true;
  Plan plan = plan_of(1, 1, 8, 1, 1);
  plan.sharding = "zero3";
  const double slow = step_s(workload, staged, plan), fast = step_s(workload, direct, plan);
  CHECK(slow > 1.2 * fast);
}

TEST_CASE("every board with a peak gets a time, unknown ones with a wider range") {
  const Workload workload = training(gpt(24, 2048, 50304));
  const auto spread = [&](const char* gpu) {
    const TimeEstimate estimate = estimate_training(workload, cluster(gpu, 8, 1), plan_of(1, 1, 8, 1, 4), Efficiencies::embedded());
    REQUIRE(estimate.interval);
    CHECK(estimate.interval->low < *estimate.step_time_s);
    CHECK(estimate.interval->high > *estimate.step_time_s);
    return estimate.interval->high / estimate.interval->low;
  };
  CHECK(spread("MI300X-192GB") > spread("H100-SXM5-80GB"));
  CHECK(spread("V100-SXM2-32GB") > spread("A100-SXM4-80GB"));
  const auto confidence = [&](const char* gpu) {
    return estimate_training(workload, cluster(gpu, 8, 1), plan_of(1, 1, 8, 1, 4), Efficiencies::embedded()).confidence;
  };
  CHECK(confidence("MI300X-192GB") == "extrapolated");
  CHECK(confidence("A100-SXM4-80GB") == "same_gpu_and_framework");
}

TEST_CASE("several nodes without a known network give no time") {
  const Workload workload = training(gpt(24, 2048, 50304));
  Configuration configuration = cluster("H100-SXM5-80GB", 8, 2);
  configuration.inter_node = {};
  CHECK(!estimate_training(workload, configuration, plan_of(1, 1, 16, 1, 1), Efficiencies::embedded()).step_time_s);
  configuration.inter_node.kind = "infiniband";
  CHECK(!estimate_training(workload, configuration, plan_of(1, 1, 16, 1, 1), Efficiencies::embedded()).step_time_s);
}

TEST_CASE("a request without model, sequence length or board gives no time") {
  const Configuration configuration = cluster("H100-SXM5-80GB", 8, 1);
  Workload workload = training(gpt(24, 2048, 50304));
  workload.sequence_length.reset();
  CHECK(!estimate_training(workload, configuration, Plan{}, Efficiencies::embedded()).step_time_s);
  workload = training(gpt(24, 2048, 50304));
  workload.model.reset();
  CHECK(!estimate_training(workload, configuration, Plan{}, Efficiencies::embedded()).step_time_s);
  Configuration unknown = configuration;
  unknown.board = nullptr;
  CHECK(!estimate_training(training(gpt(24, 2048, 50304)), unknown, Plan{}, Efficiencies::embedded()).step_time_s);
}

TEST_CASE("the parts add up and the guide's factors are shares") {
  const Workload workload = training(gpt(96, 12288, 51200));
  const TimeEstimate estimate =
      estimate_training(workload, cluster("H100-SXM5-80GB", 8, 16, 3200), plan_of(8, 4, 4, 1, 32), Efficiencies::embedded());
  double sum = 0;
  for (const auto& [part, seconds] : estimate.breakdown_s) {
    CHECK(seconds >= 0);
    sum += seconds;
  }
  CHECK(sum == Approx(*estimate.step_time_s));
  CHECK(*estimate.tokens_per_s == Approx(128 * 2048 / *estimate.step_time_s));
  for (const auto& factor : {estimate.interconnect, estimate.memory, estimate.software}) {
    REQUIRE(factor);
    CHECK(*factor > 0);
    CHECK(*factor <= 1);
  }
  CHECK(*estimate.interconnect * *estimate.memory * *estimate.software == Approx(*estimate.mfu).epsilon(1e-9));
  CHECK(*estimate.exchange_bytes_per_step >= *estimate.inter_node_bytes_per_step);
  CHECK(*estimate.inter_node_bytes_per_step > 0);
}

TEST_CASE("recomputation, offload and a frozen backbone move the time the right way") {
  Workload workload = training(gpt(32, 4096, 50304));
  const Configuration configuration = cluster("A100-SXM4-80GB", 8, 1);
  Plan plan = plan_of(1, 1, 8, 1, 4);
  plan.sharding = "zero3";
  const double plain = step_s(workload, configuration, plan);
  plan.activation_checkpointing = "full";
  const double again = step_s(workload, configuration, plan);
  CHECK(again > plain);
  Workload stated = workload;
  stated.activation_checkpointing = "full";
  CHECK(step_s(stated, configuration, plan) / plain == Approx(4.0 / 3).epsilon(0.12));
  plan.activation_checkpointing = "none";
  plan.offload = "optimizer";
  CHECK(step_s(workload, configuration, plan) > plain);
  plan.offload = "none";
  workload.method = "lora";
  CHECK(step_s(workload, configuration, plan) < 0.85 * plain);
  plan.sharding = "ddp";  // every GPU holds the weights: nothing is gained by gathering packed ones, and unpacking costs
  const double lora = step_s(workload, configuration, plan);
  workload.method = "qlora";
  CHECK(step_s(workload, configuration, plan) > lora);
}

TEST_CASE("the more layers are recomputed, the longer the step, up to the whole forward pass") {
  const Workload workload = training(gpt(32, 4096, 50304));
  auto timer = TrainingTimer::make(workload, cluster("A100-SXM4-80GB", 8, 1), Efficiencies::embedded());
  REQUIRE(timer);
  const auto law_s = [&](const char* word, int layers) {
    Plan plan = plan_of(1, 1, 8, 1, 4);
    plan.activation_checkpointing = word;
    plan.recomputed_layers = layers;
    return step_times(timer->job(), plan, Efficiencies::embedded().train.parameters.values()).total;
  };
  const double none = law_s("none", 0), all = law_s("full", 0);
  CHECK(law_s("selective", 0) == none);
  double before = none;
  for (const int layers : {8, 16, 24, 31}) {
    const double now = law_s("selective", layers);
    CHECK(now > before);
    before = now;
  }
  CHECK(before < all);
  CHECK(law_s("none", 16) == none);
}

TEST_CASE("quantised weights travel packed, and those in host memory are read again for every pass") {
  Workload lora = training(gpt(32, 4096, 50304));
  lora.task = lora.method = "lora";
  Workload qlora = lora;
  qlora.task = qlora.method = "qlora";
  const Configuration configuration = cluster("A100-SXM4-80GB", 2, 1);
  Plan plan = plan_of(1, 1, 2, 1, 1);
  plan.sharding = "fsdp";
  const auto bytes = [&](const Workload& workload) {
    return *estimate_training(workload, configuration, plan, Efficiencies::embedded()).exchange_bytes_per_step;
  };
  // Dettmers et al. 2023, arXiv:2305.14314: 4.127 bits a parameter with double quantisation, against 16.
  CHECK(bytes(qlora) / bytes(lora) == Approx(4.127 / 16).epsilon(0.01));
  const double here = step_s(qlora, configuration, plan);
  plan.offload = "parameters";
  CHECK(step_s(qlora, configuration, plan) > here);
}

TEST_CASE("TCP reaches most of a slow line and little of a fast one") {
  const auto node_gb_per_s = [](const char* kind, double gbit) {
    Configuration configuration = cluster("A100-SXM4-80GB", 8, 2, gbit);
    configuration.inter_node.kind = kind;
    configuration.inter_node.gpudirect.reset();
    const auto machine = training_machine(configuration, "bf16");
    REQUIRE(machine);
    return machine->node_bytes_per_s * 8 / 1e9;
  };
  CHECK(node_gb_per_s("ethernet", 10) > 0.7 * 1.25);
  CHECK(node_gb_per_s("ethernet", 400) < 0.2 * 50);
  CHECK(node_gb_per_s("infiniband", 400) > 0.8 * 50);
}

TEST_CASE("more stages mean more bubble, interleaving less") {
  const Workload workload = training(gpt(96, 12288, 51200));
  const Configuration configuration = cluster("H100-SXM5-80GB", 8, 8, 3200);
  const auto bubble = [&](int pipeline, int virtual_stages) {
    Plan plan = plan_of(8, pipeline, 8 / pipeline, 1, 2 * pipeline);
    plan.virtual_pipeline = virtual_stages;
    const TimeEstimate estimate = estimate_training(workload, configuration, plan, Efficiencies::embedded());
    return estimate.breakdown_s.at("bubble") / *estimate.step_time_s;
  };
  CHECK(bubble(1, 1) == 0);
  CHECK(bubble(8, 1) > bubble(2, 1));
  CHECK(bubble(8, 4) < 0.5 * bubble(8, 1));
}

TEST_CASE("the fast path and the full answer agree but for the plan's own offset") {
  const Workload workload = training(gpt(40, 5120, 50304));
  auto timer = TrainingTimer::make(workload, cluster("A100-SXM4-80GB", 8, 8), Efficiencies::embedded());
  REQUIRE(timer);
  for (const char* sharding : {"ddp", "zero1", "zero3", "fsdp"})
    for (const char* again : {"none", "selective", "full"}) {
      Plan plan = plan_of(1, 1, 64, 1, 2);
      plan.sharding = sharding;
      plan.activation_checkpointing = again;
      CHECK(timer->step_time_s(plan) == Approx(*timer->estimate(plan).step_time_s).epsilon(0.05));
    }
}

TEST_CASE("frameworks are known by many names, releases by their dates") {
  const SoftwareTable& table = Efficiencies::embedded().train.software;
  const auto of = [&](const char* framework, const char* version) {
    Software software;
    software.framework = framework;
    software.version = version;
    return training_software(software, table);
  };
  CHECK(of("NeMo/Megatron-Bridge", "26.04.01").framework == "megatron-bridge");
  CHECK(of("NeMo", "24.09").framework == "nemo");
  CHECK(of("NeMo", "24.09").year == Approx(2024 + 8.5 / 12));
  CHECK(of("Megatron-LM", "2021").year == Approx(2021.5));
  CHECK(of("llm-foundry FSDP", "").framework == "llm-foundry");
  CHECK(of("llm-foundry FSDP", "").year < 2024);
  CHECK(of("something-new", "1.2").framework == "something-new");
  CHECK(of("something-new", "1.2").year == table.newest_year);
  CHECK(!year_of_version("0.14"));
  CHECK(!year_of_version("2.3.0"));
  CHECK(year_of_version("2024.3") == Approx(2024 + 2.5 / 12));
}

TEST_CASE("frameworks without measured rows take their published tax, the others none") {
  const Efficiencies& shipped = Efficiencies::embedded();
  for (const Framework& framework : shipped.train.software.frameworks) {
    CAPTURE(framework.name);
    if (framework.tax != 1) CHECK_FALSE(shipped.train.fitted.offsets.seen("framework: " + framework.name));
    if (framework.tax != 1) CHECK(framework.spread > 0);
  }

  // hiyouga/LLaMA-Factory wiki, Performance comparison: Llama-2-7B on an A100-40GB, 4 sequences of 4096: 2926 tokens/s, with unsloth 3413
  Workload workload;
  workload.task = workload.method = "qlora";
  workload.model = *Catalog::embedded().find_model("meta-llama/Llama-2-7b-hf").resolved();
  workload.precision = "bf16";
  workload.quantization = "nf4";
  workload.sequence_length = 4096;
  workload.software.release_date = "2024-03-01";
  Plan plan = plan_of(1, 1, 1, 1, 4);
  plan.sharding = "none";
  plan.activation_checkpointing = "full";
  const auto estimate = [&](const char* framework) {
    workload.software.framework = framework;
    return estimate_training(workload, cluster("A100-SXM4-40GB", 1, 1), plan, shipped);
  };
  const TimeEstimate plain = estimate("LLaMA-Factory"), faster = estimate("unsloth");
  CHECK(*plain.tokens_per_s == Approx(2926).epsilon(0.1));
  CHECK(*faster.tokens_per_s == Approx(3413).epsilon(0.1));
  CHECK(*plain.tokens_per_s < *faster.tokens_per_s);
  CHECK(std::log(plain.interval->high / plain.interval->low) > 0.5);

  // A trainer that nothing is known of may be as good as any, or not.
  const TimeEstimate own = estimate("a-trainer-of-our-own"), none = estimate("");
  CHECK(*own.step_time_s == Approx(*none.step_time_s).epsilon(0.05));
  CHECK(own.interval->high / own.interval->low > none.interval->high / none.interval->low);

  const auto timer = TrainingTimer::make(workload, cluster("A100-SXM4-40GB", 1, 1), shipped);
  REQUIRE(timer);
  CHECK(TrainingTimer(*timer).step_time_s(plan) == Approx(*timer->estimate(plan).step_time_s).epsilon(0.05));
}

TEST_CASE("one shape is one model, cut short or not") {
  CHECK(model_key(*transformer_shape(gpt(96, 12288, 51200))) == model_key(*transformer_shape(gpt(7, 12288, 128256))));
  CHECK(model_key(*transformer_shape(gpt(96, 12288, 51200))) != model_key(*transformer_shape(gpt(96, 8192, 51200))));
}
