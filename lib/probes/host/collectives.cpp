// Collectives between processes on CPUs, through MPI or TCP.
#include "probes/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "probes/host/engine.hpp"
#include "probes/host/probes.hpp"
#include "probes/host/system.hpp"

namespace steelyard::probes {

double HostCollectives::most_bytes() const {
  // Two buffers and a copy a rank, within a quarter of the memory; all ranks may share one node.
  const double mine = available_bytes().value_or(4e9) / 4 / 3 / std::max(1, ranks_.size() / ranks_.nodes());
  return -ranks_.most(-mine);  // the least of all ranks
}

void HostCollectives::prepare(const std::string& kind, double bytes) {
  kind_ = kind;
  const auto count = static_cast<std::size_t>(bytes / sizeof(float));
  each_ = count / static_cast<std::size_t>(ranks_.size());
  in_.resize(kind == "all_gather" ? each_ : count);
  out_.assign(kind == "reduce_scatter" ? each_ : count, -1.0F);
  for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = pattern(ranks_.rank(), i);
}

void HostCollectives::once() {
  if (kind_ == "all_reduce") {
    ranks_.all_reduce(out_.data(), in_.data(), in_.size());
  } else if (kind_ == "all_gather") {
    ranks_.all_gather(out_.data(), in_.data(), each_);
  } else if (kind_ == "reduce_scatter") {
    ranks_.reduce_scatter(out_.data(), in_.data(), each_);
  } else if (kind_ == "alltoall") {
    ranks_.alltoall(out_.data(), in_.data(), each_);
  } else {
    ranks_.send_recv(out_.data(), in_.data(), in_.size());
  }
}

// The mean over the ranks, as nccl-tests reports it: a barrier lets them go one way's latency apart, and what the first waits longer the last waits
// less. The slowest rank's time would count that latency twice where a block is one run.
double HostCollectives::timed(int repeats) {
  ranks_.barrier();
  const double start = now_s();
  for (int i = 0; i < repeats; ++i) once();
  const auto mine = static_cast<float>(now_s() - start);
  float sum = 0;
  ranks_.all_reduce(&sum, &mine, 1);
  return ranks_.most(static_cast<double>(sum) / ranks_.size());
}

double HostCollectives::wrong() {
  once();
  double count = 0;
  for (std::size_t i = 0; i < out_.size(); ++i) {
    if (out_[i] != expected_element(kind_, ranks_.rank(), ranks_.size(), each_, i)) ++count;
  }
  return ranks_.most(count);
}

float expected_element(const std::string& kind, int rank, int ranks, std::size_t each, std::size_t index) {
  const auto sum = [&](std::size_t at) {
    float out = 0;
    for (int other = 0; other < ranks; ++other) out += pattern(other, at);
    return out;
  };
  if (kind == "all_reduce") return sum(index);
  if (kind == "reduce_scatter") return sum(static_cast<std::size_t>(rank) * each + index);
  const int source = static_cast<int>(index / std::max<std::size_t>(each, 1));
  if (kind == "all_gather") return pattern(source, index % each);
  if (kind == "alltoall") return pattern(source, static_cast<std::size_t>(rank) * each + index % each);
  return pattern((rank + ranks - 1) % ranks, index);  // send_recv
}

namespace {

class CollectivesProbe final : public Probe {
 public:
  std::string_view name() const override { return "host.collectives"; }

  std::optional<std::string> why_unavailable() const override {
    if (find_launcher(process_environment()).size > 1) return std::nullopt;
    return "one process only: start with mpirun, srun or torchrun to measure between ranks";
  }

  void run(const Request& request, Output& output) override {
    const auto ranks = open_ranks(find_launcher(process_environment()), request.mpi_plugins, "host.collectives", kPatience + request.budget_s);
    if (!ranks->version().empty()) output.software("mpi", ranks->version());
    CalibratedMachine machine;
    machine.ranks = ranks->size();
    machine.nodes = ranks->nodes();
    output.machine(machine);
    HostCollectives engine(*ranks);
    measure_collectives(engine, request, output);
  }

 private:
  static constexpr double kPatience = 60;  // seconds: rank 0 comes late, it measures its own machine first
};

}  // namespace

std::unique_ptr<Probe> host_collectives_probe() { return std::make_unique<CollectivesProbe>(); }

std::vector<std::unique_ptr<Probe>> host_probes() {
  std::vector<std::unique_ptr<Probe>> out;
  out.push_back(host_memory_probe());
  out.push_back(host_latency_probe());
  out.push_back(host_gemm_probe());
  out.push_back(host_collectives_probe());
  return out;
}

}  // namespace steelyard::probes
