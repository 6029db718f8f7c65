#include "estimate/train/step.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::estimate {

namespace {

using P = StepParameter;

/// What part of a communication shows when work of length `cover` runs beside it: the two overlap, imperfectly where they are alike.
double exposed(double communication, double cover) { return std::sqrt(cover * cover + communication * communication) - cover; }

/// One plan on one job, as doubles.
struct Stage {
  const TrainingJob& job;
  const Plan& plan;
  std::span<const double> theta;
  double T, PP, C, E, V, D, m, k, L, moe_L, dense_L;
  double again;           // share of the layers whose forward pass is run again
  double passes;          // forward, backward by input, backward by weight; and forward again where activations are recomputed
  double forward_passes;  // of the memory-bound operators, relative to one forward and backward
  double sharded;         // 1 / T where the sequence is split too

  double at(P parameter) const { return theta[static_cast<std::size_t>(parameter)]; }
  /// Ranks that share the states of the rest: the whole data-parallel group, or the plan's part of it.
  double shard_ranks() const { return plan.shard_group > 0 ? std::min(static_cast<double>(plan.shard_group), D * C) : D * C; }
  bool fully_sharded() const { return plan.sharding == "zero3" || plan.sharding == "fsdp" || plan.sharding == "hsdp"; }
};

/// Share of a stage's forward pass that is run again: all of it, `part` of the layers that the plan names (frameworks recompute the cheap operators
/// of a layer first), or none (attention scores alone cost next to nothing).
double recomputed_share(const Plan& plan, double layers, double part) {
  if (plan.activation_checkpointing == "full") return 1;
  return plan.activation_checkpointing == "selective" ? std::min(1.0, part * plan.recomputed_layers / std::max(1.0, layers)) : 0;
}

Stage stage_of(const TrainingJob& job, const Plan& plan, std::span<const double> theta) {
  const TransformerShape& s = job.shape;
  Stage out{job, plan, theta, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  out.T = plan.tensor;
  out.PP = plan.pipeline;
  out.C = plan.context;
  out.E = plan.expert;
  out.V = std::max(1, plan.virtual_pipeline);
  out.D = std::max(1, plan.data);
  out.m = std::max(1, plan.accumulation);
  out.k = plan.micro_batch * job.sequence / out.C;
  out.L = s.layers / out.PP;
  out.moe_L = s.moe_layers / out.PP;
  out.dense_L = out.L - out.moe_L;
  out.again = recomputed_share(plan, out.L, out.at(P::partial_recompute_share));
  out.passes = (job.trains_weights ? 3 : 2) + out.again;
  out.forward_passes = 1 + out.again / 3;
  out.sharded = plan.tensor > 1 && plan.sequence_parallel ? 1 / out.T : 1;
  return out;
}

/// Rate of a ring over `size` ranks that lie `stride` apart: the domain's link while it stays inside, else the ports of its members in a domain.
double ring_rate(const TrainingMachine& machine, double size, double stride) {
  const double members = std::clamp(std::floor(machine.domain / stride), 1.0, size);
  if (members >= size || machine.node_bytes_per_s <= 0) return machine.local_bytes_per_s;
  const double ports = machine.node_bytes_per_s * members;
  return members > 1 ? std::min(machine.local_bytes_per_s, ports) : ports;
}

bool leaves_domain(const TrainingMachine& machine, double size, double stride) {
  return size > 1 && size * stride > machine.domain && machine.node_bytes_per_s > 0;
}

/// Time of one matrix product's passes: the plain time at the format's achieved rate, longer for short sides.
double product(const Stage& st, double tokens, double width, double depth, double flops, double rate, double lost_m) {
  return flops / rate * (1 + lost_m / tokens + st.at(P::shape_n) / width + st.at(P::shape_k) / depth);
}

double dense_products(const Stage& st) {
  const TransformerShape& s = st.job.shape;
  const double rate = st.job.machine.peak_format * st.theta[st.job.gemm], cm = st.at(P::shape_m);
  const double per_weight = 2 * st.k * st.passes / st.T, h = s.hidden, out_width = s.attention_out;
  const double out_weights = s.heads * s.value_dim * h, in_weights = std::max(0.0, s.attention_weights - out_weights);
  const double attention = product(st, st.k, out_width / st.T, h, per_weight * in_weights, rate, cm) +
                           product(st, st.k, h, s.heads * s.value_dim / st.T, per_weight * out_weights, rate, cm);
  const double up = (s.ffn_matrices - 1) * h, both = s.ffn_matrices - 1;
  const auto mlp = [&](double ffn) {
    return ffn <= 0 ? 0.0
                    : product(st, st.k, both * ffn / st.T, h, per_weight * up * ffn, rate, cm) +
                          product(st, st.k, h, ffn / st.T, per_weight * h * ffn, rate, cm);
  };
  return st.L * attention + st.dense_L * mlp(s.ffn) + st.moe_L * mlp(s.shared_ffn);
}

double expert_products(const Stage& st) {
  const TransformerShape& s = st.job.shape;
  if (st.moe_L <= 0) return 0;
  const double rate = st.job.machine.peak_format * st.theta[st.job.gemm], pairs = st.k / st.T * s.experts_per_token;
  const double tokens = std::max(1.0, pairs * st.E / s.experts), both = s.ffn_matrices - 1;
  const double flops = 2 * pairs * s.hidden * s.moe_ffn * st.passes;
  return st.moe_L * (product(st, tokens, both * s.moe_ffn, s.hidden, flops * both, rate, st.at(P::shape_m_expert)) +
                     product(st, tokens, s.hidden, s.moe_ffn, flops, rate, st.at(P::shape_m_expert)));
}

/// The output layer, on the last stage, in half precision whatever the rest takes.
double logit_products(const Stage& st) {
  const double passes = st.job.trains_weights ? 3 : 2;
  return 2 * passes * st.k * st.job.shape.vocab * st.job.shape.hidden / st.T / (st.job.machine.peak_half * st.theta[st.job.half_gemm]);
}

/// Causal attention: forward 1, backward 2.5 times the forward products (FlashAttention-2, arXiv:2307.08691, section 4).
double attention_time(const Stage& st) {
  const TransformerShape& s = st.job.shape;
  const double again = st.plan.activation_checkpointing == "selective" && !st.job.flash_attention ? 1 : st.again;
  const double forward = st.k * st.job.sequence * s.heads * (s.key_dim + s.value_dim) / st.T * st.L;
  const double head = std::pow(std::min(1.0, (s.key_dim + s.value_dim) / 256), st.at(P::small_head));
  return forward * (3.5 + again) / (st.job.machine.peak_half * st.theta[st.job.attention] * head);
}

double memory_passes(const Stage& st) {
  const TransformerShape& s = st.job.shape;
  const double k = st.k, h = s.hidden, pairs = k / st.T * s.experts_per_token;
  double bytes = st.at(P::norm_passes) * 2 * k * h * st.L * st.sharded;
  bytes += st.at(P::mlp_passes) * 2 * k / st.T * (s.ffn * st.dense_L + s.shared_ffn * st.moe_L);
  bytes += st.moe_L * pairs * 2 * (st.at(P::expert_passes) * h + st.at(P::mlp_passes) * s.moe_ffn);
  if (st.job.low_precision)
    bytes +=
        st.at(P::cast_passes) * k * (2 * h * st.L + s.ffn / st.T * st.dense_L + (s.moe_ffn * s.experts_per_token + s.shared_ffn) / st.T * st.moe_L);
  if (!st.job.flash_attention) bytes += st.at(P::score_passes) * 2 * k * st.job.sequence * s.heads / st.T * st.L;
  bytes *= st.forward_passes;
  bytes += st.at(P::logit_passes) * 2 * k * s.vocab / st.T;
  const double weights = (s.params - s.expert_params) / (st.T * st.PP) + s.expert_params / (st.E * st.PP);
  bytes += st.job.dequantised_bytes_per_weight * weights * st.passes;
  return bytes / st.job.machine.memory_bytes_per_s;
}

/// Seconds a micro-batch spends in exchanges that stand in the way of its own work, and the bytes a GPU sends for them.
struct Traffic {
  double seconds = 0, bytes = 0, far_bytes = 0;

  void add(double time, double sent, bool far) {
    seconds += time;
    bytes += sent;
    far_bytes += far ? sent : 0;
  }
};

/// Two all-reduces forward, two backward (Megatron-LM, arXiv:1909.08053), each as reduce-scatter and all-gather: 8 times the ring's share.
void tensor_traffic(const Stage& st, Traffic& out) {
  if (st.T <= 1) return;
  const double rounds = 4 + 2 * st.again;
  const double bytes = rounds * 2 * 2 * st.k * st.job.shape.hidden * st.L * (st.T - 1) / st.T;
  const double time = 0.5 * st.at(P::tensor_share) * bytes / ring_rate(st.job.machine, st.T, 1) + 1e-6 * st.at(P::tensor_latency_us) * rounds * st.L;
  out.add(time, bytes, leaves_domain(st.job.machine, st.T, 1));
}

/// Dispatch and combine, forward and backward: each token's hidden state to the ranks of its experts and back.
void expert_traffic(const Stage& st, Traffic& out) {
  if (st.E <= 1 || st.moe_L <= 0) return;
  const TrainingMachine& machine = st.job.machine;
  const double rounds = 4 + 2 * st.again;
  const double bytes = rounds * 2 * st.k / st.T * st.job.shape.experts_per_token * st.job.shape.hidden * st.moe_L;
  const double near = std::min(st.E, static_cast<double>(machine.domain));
  out.add(st.at(P::expert_local_share) * bytes * (near - 1) / st.E / machine.local_bytes_per_s, bytes * (near - 1) / st.E, false);
  if (near < st.E && machine.node_bytes_per_s > 0)
    out.add(st.at(P::expert_node_share) * bytes * (st.E - near) / st.E / machine.node_bytes_per_s, bytes * (st.E - near) / st.E, true);
}

/// Ring attention: keys and values go round once forward, twice backward with their gradients.
void context_traffic(const Stage& st, Traffic& out) {
  if (st.C <= 1) return;
  const TransformerShape& s = st.job.shape;
  const double kv = std::max(0.0, s.attention_out - s.heads * s.key_dim);
  const double bytes = 3 * 2 * st.k * kv / st.T * (st.C - 1) * st.L;
  out.add(st.at(P::context_share) * bytes / ring_rate(st.job.machine, st.C, st.T), bytes, leaves_domain(st.job.machine, st.C, st.T));
}

/// Activations forward and gradients back between neighbouring stages, once for each of a GPU's chunks of layers.
void pipeline_traffic(const Stage& st, Traffic& out) {
  if (st.PP <= 1) return;
  const double stride = st.T * st.C * st.D;
  const bool far = leaves_domain(st.job.machine, st.PP, stride);
  const double bytes = 2 * 2 * st.k * st.job.shape.hidden * st.sharded * st.V;
  const double rate = far ? st.job.machine.node_bytes_per_s : st.job.machine.local_bytes_per_s;
  out.add(st.at(P::pipeline_share) * bytes / rate, bytes, far);
}

/// Gathers of ZeRO-3 and FSDP within one micro-batch: weights forward and backward as they are stored, gradients back in 2 bytes
/// (Rajbhandari et al., arXiv:1910.02054).
struct Gather {
  double seconds = 0, bytes = 0;
  bool far = false;
};

Gather gather_of(const Stage& st, double ranks) {
  const TransformerShape& s = st.job.shape;
  Gather out;
  if (ranks <= 1) return out;
  const double local = s.params / (st.T * st.PP), stride = st.T * st.C;
  out.bytes = local * (ranks - 1) / ranks * (2 * st.job.gathered_bytes_per_weight + (st.job.trains_weights ? 2 : 0));
  const bool old = st.job.software.year < 2022;  // before the prefetch of ZeRO-3's parameters
  const double latency = 1e-6 * st.at(old ? P::gather_latency_old_us : P::gather_latency_us);
  out.seconds =
      st.at(old ? P::gather_share_old : P::gather_share) * out.bytes / ring_rate(st.job.machine, ranks, stride) + latency * 3 * st.L * ranks;
  out.far = leaves_domain(st.job.machine, ranks, stride);
  return out;
}

/// Weights that lie in host memory come over the slot for the forward and the backward pass of every micro-batch, each GPU its own part.
double streamed_seconds(const Stage& st) {
  if (st.plan.offload != "parameters") return 0;
  const TransformerShape& s = st.job.shape;
  const double mine = s.params / (st.T * st.PP) / (st.fully_sharded() ? st.shard_ranks() : 1);
  return 2 * st.job.gathered_bytes_per_weight * mine / (st.at(P::host_link_share) * st.job.machine.host_bytes_per_s);
}

/// Gradients reduced and weights gathered once a step where each replica (or its part of the states) holds its own.
Gather replica_exchange(const Stage& st) {
  const TransformerShape& s = st.job.shape;
  Gather out;
  if (!st.job.trains_weights) return out;
  if (st.fully_sharded()) {
    // Hybrid sharding: each rank's part is reduced over the groups, which lie in different domains.
    const double group = st.shard_ranks(), groups = st.D * st.C / group;
    if (groups <= 1) return out;
    out.bytes = 4 * s.params / (st.T * st.PP * group) * (groups - 1) / groups;
    out.far = leaves_domain(st.job.machine, groups, st.T * group);
    out.seconds = out.bytes / ring_rate(st.job.machine, groups, st.T * group);
    return out;
  }
  const double ranks = st.D * st.C, expert_ranks = std::max(1.0, st.T * st.C * st.D / st.E);
  const double dense = (s.params - s.expert_params) / (st.T * st.PP), experts = s.expert_params / (st.E * st.PP);
  const double dense_bytes = 6 * dense * (ranks - 1) / ranks, expert_bytes = 6 * experts * (expert_ranks - 1) / expert_ranks;
  out.bytes = dense_bytes + expert_bytes;
  if (out.bytes <= 0) return out;
  out.far = leaves_domain(st.job.machine, ranks, st.T);
  out.seconds = dense_bytes / ring_rate(st.job.machine, ranks, st.T) + expert_bytes / ring_rate(st.job.machine, expert_ranks, st.E);
  return out;
}

double optimizer_time(const Stage& st) {
  if (!st.job.trains_weights) return 0;
  const TransformerShape& s = st.job.shape;
  const double local = (s.params - s.expert_params) / (st.T * st.PP) + s.expert_params / (st.E * st.PP);
  const bool split = st.fully_sharded() || st.plan.sharding == "zero1" || st.plan.sharding == "zero2";
  const double mine = split ? local / std::max(1.0, st.fully_sharded() ? st.shard_ranks() : st.D * st.C) : local;
  double time = st.at(P::optimizer_share) * st.job.optimizer_bytes * mine / st.job.machine.memory_bytes_per_s;
  // States in host memory: gradients down, weights up, and the update at the rate at which the processors serve one GPU.
  if (st.plan.offload != "none" && !st.plan.offload.empty())
    time +=
        mine * (4 / (st.at(P::host_link_share) * st.job.machine.host_bytes_per_s) + st.job.optimizer_bytes / (1e9 * st.at(P::host_update_gb_per_s)));
  return time;
}

double host_time(const Stage& st, double device) {
  constexpr double p = 1.5;
  double launches = 1e-6 * st.at(P::layer_launch_us) * st.L * st.forward_passes;
  if (st.moe_L <= 0) return std::pow(std::pow(device, 4) + std::pow(launches, 4), 0.25) - device;
  const double layer = st.at(st.job.fused_experts ? P::moe_layer_us : P::moe_layer_old_us) + st.at(P::moe_expert_us) * st.job.shape.experts / st.E;
  launches += 1e-6 * layer * st.moe_L * st.forward_passes;
  return std::pow(std::pow(device, p) + std::pow(launches, p), 1 / p) - device;
}

}  // namespace

StepTimes step_times(const TrainingJob& job, const Plan& plan, std::span<const double> parameters) {
  const Stage st = stage_of(job, plan, parameters);
  const double even = std::fmod(job.shape.layers, st.PP) == 0 ? 1 : 1 / st.PP;  // uneven layers make room for the output layer
  const double compute = dense_products(st) + expert_products(st) + attention_time(st) + logit_products(st) * even;
  const double memory = memory_passes(st);
  Traffic traffic;
  tensor_traffic(st, traffic);
  expert_traffic(st, traffic);
  context_traffic(st, traffic);
  pipeline_traffic(st, traffic);
  const double device = compute + memory + traffic.seconds;
  const double host = host_time(st, device);
  const double work = device + host;
  const Gather gather = st.fully_sharded() ? gather_of(st, st.shard_ranks()) : Gather{};
  const double micro = work + exposed(gather.seconds + streamed_seconds(st), work);
  const Gather replica = replica_exchange(st);
  const double replica_time = st.at(P::data_share) * replica.seconds;
  const double optimizer = optimizer_time(st), tax = st.at(P::software_tax), m = st.m;
  StepTimes out;
  out.bubble = tax * st.at(P::bubble_share) * micro * (st.PP - 1) / st.V;
  out.compute = tax * m * compute;
  out.memory_bound = tax * (m * memory + optimizer);
  out.communication = tax * (m * (traffic.seconds + micro - work) + replica_time);
  out.input = tax * m * host;
  out.total = out.compute + out.memory_bound + out.communication + out.input + out.bubble;
  out.exchange_bytes = m * (traffic.bytes + gather.bytes) + replica.bytes;
  out.inter_node_bytes = m * (traffic.far_bytes + (gather.far ? gather.bytes : 0)) + (replica.far ? replica.bytes : 0);
  const double tokens = static_cast<double>(plan.global_batch) * job.sequence;
  out.model_flops = tokens * (job.shape.weight_flops_per_token() + 3 * job.shape.attention_flops_per_token(job.sequence));
  return out;
}

}  // namespace steelyard::estimate
