// Speed of decisions, estimates, plan search, import and reading, on the data that ship with the library.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <steelyard/evidence.hpp>
#include <steelyard/memory.hpp>
#include <steelyard/steelyard.hpp>

#include "decide/decide.hpp"
#include "estimate/train/train.hpp"

namespace {

using namespace steelyard;

constexpr const char* job_text =
    "{task: full_finetune, model: meta-llama/Llama-2-13b-hf, precision: bf16, batch: {micro: 1, global: 64}, sequence_length: 2048,"
    " work: {tokens: 1.0e8}, constraints: {nodes_max: 1}}";

const Advisor& advisor() {
  static const Advisor embedded = Advisor::embedded();
  return embedded;
}

Workload job() { return value_or_throw(parse_workload(job_text, "job", advisor().catalog())); }

Configuration box(int nodes) {
  return value_or_throw(parse_configuration("{gpu: A100-SXM4-80GB, gpus_per_node: 8, nodes: " + std::to_string(nodes) +
                                                ", intra_node: nvlink, inter_node: {kind: infiniband, gbit_per_s_per_node: 1600, gpudirect: true}}",
                                            "box", advisor().catalog()));
}

// The shipped offers again and again, each with a name and a price of its own.
OfferList many_offers(std::size_t count) {
  const OfferList& shipped = advisor().catalog().offers();
  OfferList offers;
  for (std::size_t index = 0; index < count; ++index) {
    Offer offer = shipped[index % shipped.size()];
    offer.id += "/" + std::to_string(index);
    if (offer.configuration.price) offer.configuration.price->amount *= 1 + static_cast<double>(index % 97) / 97;
    offers.push_back(std::move(offer));
  }
  return offers;
}

void recommend(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const Advisor many = advisor().with_catalog(advisor().catalog().with_offers(many_offers(count)));
  const Workload workload = job();
  for (auto _ : state) benchmark::DoNotOptimize(many.select_cluster(workload, {{2026, 11, 30}, 0, 10}));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(recommend)->Arg(4000)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond);

void estimate(benchmark::State& state) {
  const Workload workload = job();
  const Configuration configuration = box(2);
  auto timer = estimate::TrainingTimer::make(workload, configuration, estimate::Efficiencies::embedded());
  Plan plan = fill_plan(workload, configuration);
  for (auto _ : state) {
    benchmark::DoNotOptimize(timer->step_time_s(plan));
    benchmark::DoNotOptimize(estimate_memory(workload, configuration, plan).peak_gib);
    plan.micro_batch = 1 + plan.micro_batch % 4;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(estimate);

void plan_search(benchmark::State& state) {
  const Workload workload = job();
  const Configuration configuration = box(static_cast<int>(state.range(0)) / 8);
  auto timer = estimate::TrainingTimer::make(workload, configuration, estimate::Efficiencies::embedded());
  const StepTime step_time = [&](const Plan& plan) { return std::optional(timer->step_time_s(plan)); };
  for (auto _ : state) benchmark::DoNotOptimize(search_plans(workload, configuration, step_time));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(plan_search)->Arg(1024)->Unit(benchmark::kMillisecond);

void import_csv(benchmark::State& state) {
  const auto path = std::filesystem::temp_directory_path() / ("steelyard_bench_" + std::to_string(state.range(0)) + ".csv");
  std::ofstream file(path);
  file << "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n";
  for (int row = 0; row < state.range(0); ++row) {
    file << "gpu_8x_a100_" << row
         << ",A100-80GB,8,96,1800,\"{'Gpus': [{'Name': 'A100-80GB', 'Manufacturer': 'NVIDIA', 'Count': 8, 'MemoryInfo': {'SizeInMiB': 81920}}]}\","
         << 10 + row % 30 << ".5,,r" << row % 50 << ",\n";
  }
  file.close();
  for (auto _ : state) benchmark::DoNotOptimize(import_offers(path, "auto", advisor().catalog()));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  std::filesystem::remove(path);
}
BENCHMARK(import_csv)->Arg(100000)->Unit(benchmark::kMillisecond);

void read_output(benchmark::State& state) {
  const std::string text =
      "# nThread 1 nGpus 8 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validate: 1 graph: 0\n#\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
      "  8589934592    2147483648     float     sum      -1    63900  134.43  235.26      0    63950  134.32  235.07      0\n"
      "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 235.1\n";
  for (auto _ : state) benchmark::DoNotOptimize(read_tool_output(text));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(read_output)->Name("read_tool_output");

}  // namespace
