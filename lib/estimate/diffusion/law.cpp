#include "estimate/diffusion/law.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace steelyard::estimate {

namespace {

/// Work of the network itself: `samples` samples at once, `passes` times a forward pass.
struct Work {
  double compute = 0, memory = 0, launch = 0;
  double device() const { return compute + memory; }
  double total() const { return std::hypot(device(), launch); }
};

Work work_of(const DiffusionJob& job, const DiffusionLaw& law, double samples, double passes) {
  const DiffusionModel& m = job.model;
  const double flop = passes * samples * m.forward_flop(job.px, job.frames);
  const double per_flop = m.unet ? law.unet_bytes_per_flop : law.transformer_bytes_per_flop;
  const double weights = 2 * m.params * passes;
  return {flop / (job.machine.peak_format * law.compute_share), (flop * per_flop + weights) / job.machine.memory_bytes_per_s,
          1e-6 * law.block_launch_us * m.blocks * passes};
}

/// Bytes/s a GPU sends in a ring over `ranks` GPUs of the configuration.
double ring_rate(const TrainingMachine& machine, double ranks) {
  if (ranks <= machine.domain || machine.node_bytes_per_s <= 0) return machine.local_bytes_per_s;
  return std::min(machine.local_bytes_per_s, machine.node_bytes_per_s * machine.domain);
}

void add(const Work& work, double times, DiffusionTimes& out) {
  out.compute += times * work.compute;
  out.memory_bound += times * work.memory;
  out.host += times * (work.total() - work.device());
}

}  // namespace

std::span<const DiffusionParameter> diffusion_parameters() {
  using L = DiffusionLaw;
  static constexpr std::array<DiffusionParameter, 5> all{{{"compute_share", &L::compute_share},
                                                          {"unet_bytes_per_flop", &L::unet_bytes_per_flop},
                                                          {"transformer_bytes_per_flop", &L::transformer_bytes_per_flop},
                                                          {"block_launch_us", &L::block_launch_us},
                                                          {"exchange_share", &L::exchange_share}}};
  return all;
}

DiffusionTimes generation_times(const DiffusionJob& job, const DiffusionLaw& law) {
  DiffusionTimes out;
  add(work_of(job, law, job.images * job.model.evaluations, 1), job.model.steps, out);
  const double decode = job.images * job.px * job.frames * decode_flop_per_px();
  out.compute += decode / (job.machine.peak_half * law.compute_share);
  out.memory_bound += decode * law.unet_bytes_per_flop / job.machine.memory_bytes_per_s;
  const double moved = job.moved_once + job.model.steps * job.moved_a_step;
  if (moved > 0) out.communication = moved / std::min(job.machine.host_bytes_per_s, offload_bytes_per_s());
  out.total = out.compute + out.memory_bound + out.host + out.communication;
  out.flop = job.images * job.model.evaluations * job.model.steps * job.model.forward_flop(job.px, job.frames) + decode;
  return out;
}

DiffusionTimes training_times(const DiffusionJob& job, const Plan& plan, const DiffusionLaw& law) {
  const TrainingMachine& machine = job.machine;
  const double micro = plan.micro_batch, m = std::max(1, plan.accumulation), ranks = std::max(1, plan.data);
  const double own = job.trains_weights ? 3 : 2, again = plan.activation_checkpointing == "full" ? 1 : 0;
  const Work work = work_of(job, law, micro, own + again);
  DiffusionTimes out;
  add(work, m, out);
  // Sharded weights are gathered for every pass and gradients scattered (ZeRO, arXiv:1910.02054); replicas reduce once a step, beneath the last pass.
  const bool sharded = plan.sharding == "zero3" || plan.sharding == "fsdp" || plan.sharding == "hsdp";
  const double ring = (ranks - 1) / ranks, rate = ring_rate(machine, ranks);
  const double gathered = sharded ? 2 * job.model.params * (job.trains_weights ? 3 : 2) * ring : 0;
  const double reduced = !sharded && job.trains_weights ? 2 * job.gradient_bytes * job.model.params * ring : 0;
  const auto shown = [&](double bytes) { return bytes > 0 ? std::hypot(work.total(), law.exchange_share * bytes / rate) - work.total() : 0.0; };
  out.communication = m * shown(gathered) + shown(reduced);
  out.exchange_bytes = m * gathered + reduced;
  if (ranks > machine.domain) out.inter_node_bytes = out.exchange_bytes / machine.domain;
  if (job.trains_weights) {
    const bool split = sharded || plan.sharding == "zero1" || plan.sharding == "zero2";
    const double mine = job.model.params / (split ? ranks : 1);
    out.memory_bound += job.optimizer_bytes * mine / machine.memory_bytes_per_s;
    if (!plan.offload.empty() && plan.offload != "none") out.communication += (4 + job.optimizer_bytes) * mine / machine.host_bytes_per_s;
  }
  out.total = out.compute + out.memory_bound + out.host + out.communication;
  out.flop = plan.global_batch * own * job.model.forward_flop(job.px, job.frames);
  return out;
}

std::vector<Level> diffusion_levels(const DiffusionJob& job, const std::map<std::string, double, std::less<>>& sigmas) {
  const std::pair<const char*, std::string> all[] = {{"model", job.name}, {"board", job.machine.board}, {"software", job.software}, {"use", job.use}};
  std::vector<Level> out;
  for (const auto& [kind, value] : all)
    if (const auto sigma = sigmas.find(kind); sigma != sigmas.end()) out.push_back({std::string(kind) + ": " + value, sigma->second});
  const auto unlisted = sigmas.find("unlisted");
  if (!job.model.listed && unlisted != sigmas.end()) out.push_back({"unlisted: " + job.name, unlisted->second});
  return out;
}

}  // namespace steelyard::estimate
