#include <algorithm>
#include <utility>

#include "estimate/memory/bytes.hpp"

namespace steelyard::estimate {

namespace {

constexpr double gib = 1073741824.0;
constexpr double fp32_bytes = 4;

/// GPUs that share each kind of state.
struct Ranks {
  double weights = 1, gradients = 1, optimizer = 1;
  double expert_weights = 1, expert_gradients = 1, expert_optimizer = 1;
};

Ranks ranks_of(const PlanPoint& point) {
  const double group = point.shard_group > 0 ? point.shard_group : double(point.data) * point.context;
  // Experts are spread over `expert` GPUs of the same stage; the rest of the stage holds copies of them.
  const double copies = std::max(1.0, group * point.tensor / point.expert);
  Ranks ranks;
  if (point.sharding >= Sharding::zero1) ranks.optimizer = group;
  if (point.sharding >= Sharding::zero2) ranks.gradients = group;
  if (point.sharding >= Sharding::zero3) ranks.weights = group;
  const bool spread = point.expert > 1;
  ranks.expert_optimizer = spread && ranks.optimizer > 1 ? copies : ranks.optimizer;
  ranks.expert_gradients = spread && ranks.gradients > 1 ? copies : ranks.gradients;
  ranks.expert_weights = spread && ranks.weights > 1 ? copies : ranks.weights;
  return ranks;
}

/// Parameters on one GPU before states are sharded.
struct LocalParameters {
  double trained = 0, trained_experts = 0, adapters = 0, frozen = 0, frozen_experts = 0, frozen_embedding = 0;

  double all() const { return trained + trained_experts + adapters + frozen + frozen_experts + frozen_embedding; }
};

LocalParameters local_parameters(const MemoryJob& job, const PlanPoint& point, const StageParameters& stage) {
  const double expert_split = point.expert > 1 ? point.expert : point.tensor;
  const double common = stage.common / point.tensor, experts = stage.experts / expert_split, embedding = stage.embedding / point.tensor;
  LocalParameters local;
  if (job.method == Method::full) {
    local.trained = common;
    local.trained_experts = experts;
    return local;
  }
  local.frozen = common - embedding;
  local.frozen_embedding = embedding;
  local.frozen_experts = experts;
  if (job.method == Method::freeze) {
    const double share = stage.layers > 0 ? std::min(1.0, job.law->frozen_trained_layers / (stage.layers * point.pipeline)) : 0;
    local.trained = share * local.frozen;
    local.trained_experts = share * experts;
    local.frozen -= local.trained;
    local.frozen_experts -= local.trained_experts;
  } else {
    local.adapters = lora_parameters(job, stage) / point.tensor;
  }
  return local;
}

void add_states(const MemoryJob& job, const Ranks& ranks, const LocalParameters& local, MemoryBytes& bytes) {
  const double frozen = local.frozen * job.stored_bytes + local.frozen_embedding * job.stored_embedding_bytes;
  // An adapter's 16 bytes: 4 weight, 4 gradient, 8 moments.
  const double adapter = local.adapters * job.law->lora_state_bytes;
  bytes.weights = (local.trained * job.weight_bytes + frozen + adapter / 4) / ranks.weights +
                  (local.trained_experts * job.weight_bytes + local.frozen_experts * job.stored_expert_bytes) / ranks.expert_weights;
  bytes.gradients =
      (local.trained * job.gradient_bytes + adapter / 4) / ranks.gradients + local.trained_experts * job.gradient_bytes / ranks.expert_gradients;
  bytes.optimizer =
      (local.trained * job.optimizer_bytes + adapter / 2) / ranks.optimizer + local.trained_experts * job.optimizer_bytes / ranks.expert_optimizer;
}

void add_other_models(const MemoryJob& job, const PlanPoint& point, const Ranks& ranks, MemoryBytes& bytes) {
  const double split = double(point.tensor) * point.pipeline;
  bytes.weights += job.extra_trained * job.weight_bytes / split / ranks.weights;
  bytes.gradients += job.extra_trained * job.gradient_bytes / split / ranks.gradients;
  bytes.optimizer += job.extra_trained * job.optimizer_bytes / split / ranks.optimizer;
  bytes.reference = job.extra_frozen * 2 / split / ranks.weights;
  if (job.measured) bytes.reference += job.measured->frozen_gib * gib;
  if (job.rollout_parameters > 0) bytes.rollout = job.rollout_parameters * 2 / job.gpus_per_node;
}

// ZeRO-Offload (arXiv:2101.06840), built on stage 2: gradients go to the host as they are made, beside the optimizer's states. Stage 3 keeps its
// part of them on the GPU (measured peaks: stas00/ml-engineering@744d01e).
void move_to_host(const MemoryJob& job, const PlanPoint& point, MemoryBytes& bytes) {
  double moved = 0;
  if (point.offload != Offload::none) std::swap(moved, bytes.optimizer);
  if (point.offload == Offload::optimizer && point.sharding == Sharding::zero2) moved += std::exchange(bytes.gradients, 0);
  if (point.offload >= Offload::parameters) {
    moved += bytes.weights + bytes.gradients;
    bytes.weights = bytes.gradients = 0;
  }
  const int processes = std::min(job.gpus_per_node, job.gpus);
  const double base = moved > 0 ? job.law->offload_host_gib_per_gpu : job.law->data_host_gib_per_gpu;
  bytes.host += processes * (moved + base * gib);
}

double stage_tokens(const MemoryJob& job, const PlanPoint& point) { return point.micro * job.sequence / point.context; }

// Micro-batches whose activations stand at a time on a stage of the one-forward-one-backward schedule; interleaving adds (P - 1) / (P v).
double in_flight(const PlanPoint& point, int stage) {
  if (point.pipeline == 1) return 1;
  const double waiting = std::min<double>(point.pipeline - stage, point.accumulation);
  return point.virtual_pipeline > 1 ? waiting * (1 + (point.pipeline - 1.0) / (double(point.pipeline) * point.virtual_pipeline)) : waiting;
}

// Share of a layer's activations on one GPU: 1/T with sequence parallelism; without it 10 of the bytes per hidden element stay whole.
double tensor_share(const MemoryJob& job, const PlanPoint& point, double layer_bytes) {
  if (point.tensor == 1 || point.sequence_parallel) return 1.0 / point.tensor;
  const double whole = std::min(1.0, job.law->unsharded_bytes_per_hidden * job.shape.hidden / layer_bytes);
  return whole + (1 - whole) / point.tensor;
}

void add_transformer_activations(const MemoryJob& job, const PlanPoint& point, const StageParameters& part, int stage, MemoryBytes& bytes) {
  const double tokens = stage_tokens(job, point);
  const double dense = layer_activation_bytes(job, false), routed = part.expert_layers > 0 ? layer_activation_bytes(job, true) : 0;
  const double fullest = std::max(part.layers > part.expert_layers ? dense : 0, routed);
  const double share = tensor_share(job, point, std::max(1.0, fullest));
  const double standing = in_flight(point, stage);
  double scores = 0;  // selective recomputation drops them
  if (!job.fused_attention && point.recompute != Recompute::none) scores = job.law->score_bytes * job.shape.heads * job.sequence;
  const double again = point.recompute == Recompute::full        ? part.layers
                       : point.recompute == Recompute::selective ? std::min<double>(point.recomputed_layers, part.layers)
                                                                 : 0;
  const double share_kept = part.layers > 0 ? 1 - again / part.layers : 0;
  const double whole = (part.layers - part.expert_layers) * (dense - scores) + part.expert_layers * (routed - (routed > 0 ? scores : 0));
  const double input = job.law->checkpoint_bytes_per_hidden * job.shape.hidden / (point.sequence_parallel ? point.tensor : 1);
  const double at_work = again > 0 ? job.law->recompute_layer_factor * fullest * share : 0;
  bytes.activations = tokens * ((whole * share * share_kept + input * again) * standing + at_work);
  if (stage == point.pipeline - 1) bytes.logits = job.logits_bytes * tokens * job.shape.vocab / point.tensor;
}

void add_measured_activations(const MemoryJob& job, const PlanPoint& point, MemoryBytes& bytes) {
  const MeasuredMemory& measured = *job.measured;
  const bool recomputable = measured.unit == "megapixel";  // those figures are with recomputation
  const double without = measured.unrecomputed_figure > 0 ? measured.unrecomputed_figure : measured.figure * job.law->unrecomputed_factor;
  const double figure = recomputable && point.recompute != Recompute::full ? without : measured.figure;
  const double each = figure * std::pow(job.units, measured.exponent);
  bytes.activations = (measured.base_gib + each * point.micro) * gib;
}

void add_buffers(const MemoryJob& job, const PlanPoint& point, const LocalParameters& local, MemoryBytes& bytes) {
  const Shape& shape = job.shape;
  const double trained = local.trained + local.trained_experts + local.adapters;
  if (shards_weights(point.sharding)) {
    const bool experts = shape.expert_layers() > 0;
    const double layer = shape.transformer ? shape.layer_common(experts) + (experts ? shape.layer_experts() / point.expert : 0)
                                           : shape.parameters * job.law->unshaped_layer_share;
    const double layer_bytes = local.trained > 0 ? std::min(2.0, job.weight_bytes) : job.stored_bytes;
    const double ends = shape.embedding + shape.head;
    bytes.gathered = (job.law->gathered_layers * layer * layer_bytes + ends * 2) / point.tensor;
    // Gradients of the layer at work and of the output layer, before they are scattered.
    if (local.trained > 0) bytes.temporary = (layer + std::max(shape.head, shape.embedding)) * job.gradient_bytes / point.tensor;
  } else if (point.sharding == Sharding::ddp && double(point.data) * point.context > 1) {
    bytes.buckets = trained * job.gradient_bytes;
  } else if (point.sharding != Sharding::none && job.framework->partition) {
    bytes.buckets = job.law->reduce_buckets * std::min(job.law->reduce_bucket_elements, trained) * job.gradient_bytes;
  }
  const double largest_matrix = shape.hidden * std::max(shape.ffn, shape.experts > 0 ? shape.expert_ffn : 0) * (shape.gated ? 2 : 1);
  if (!shards_weights(point.sharding)) bytes.temporary += job.framework->gradient_temporary_bytes * largest_matrix / point.tensor;
}

// PEFT's prepare_model_for_kbit_training casts what is not quantised to 32 bits: embeddings and output layer grow by 2 bytes, gathered copies too.
void add_upcast(const MemoryJob& job, const PlanPoint& point, const Ranks& ranks, const LocalParameters& local, MemoryBytes& bytes) {
  if (local.adapters <= 0 || job.stored_bytes >= 2 || job.stored_embedding_bytes < 2) return;
  const double gathered = shards_weights(point.sharding) ? (job.shape.embedding + job.shape.head) / point.tensor : 0;
  bytes.upcast = 2 * (local.frozen_embedding / ranks.weights + gathered);
}

void add_partition(const MemoryJob& job, const PlanPoint& point, const Ranks& ranks, const LocalParameters& local, MemoryBytes& bytes) {
  const double trained = (local.trained + local.adapters) / ranks.optimizer + local.trained_experts / ranks.expert_optimizer;
  const bool sharded = point.sharding >= Sharding::zero1;
  if (sharded && job.framework->partition && point.offload == Offload::none) bytes.partition = fp32_bytes * trained;
  const double logits = fp32_bytes * stage_tokens(job, point) * job.shape.vocab / point.tensor * (bytes.logits > 0 ? 1 : 0);
  // The embedding: as an fp32 moment where states stand whole, else gathered in 16 bits.
  const double embedding = (local.trained > 0 && !sharded ? fp32_bytes : 2) * job.shape.embedding / point.tensor;
  bytes.largest_allocation = std::max({logits, embedding, bytes.partition});
}

void add_load(const MemoryJob& job, const LocalParameters& local, MemoryBytes& bytes) {
  if (!job.full_load) return;
  // Mixed-precision training wraps an fp32 copy; frozen weights come in their stored format.
  const double frozen =
      local.frozen * job.stored_bytes + local.frozen_embedding * job.stored_embedding_bytes + local.frozen_experts * job.stored_expert_bytes;
  bytes.load_copy = (local.trained + local.trained_experts + local.adapters) * fp32_bytes + frozen;
  bytes.host += std::min(job.gpus_per_node, job.gpus) * bytes.load_copy;  // each process reads the whole of its part before it is sharded
}

MemoryBytes stage_bytes(const MemoryJob& job, const PlanPoint& point, const StageParameters& part, int stage) {
  MemoryBytes bytes;
  const LocalParameters local = local_parameters(job, point, part);
  const Ranks ranks = ranks_of(point);
  bytes.context = job.law->context_gib * gib;
  add_states(job, ranks, local, bytes);
  add_other_models(job, point, ranks, bytes);
  add_load(job, local, bytes);
  move_to_host(job, point, bytes);
  if (job.measured) {
    add_measured_activations(job, point, bytes);
  } else if (job.shape.transformer) {
    add_transformer_activations(job, point, part, stage, bytes);
  } else {
    bytes.activations_known = false;
  }
  add_buffers(job, point, local, bytes);
  add_partition(job, point, ranks, local, bytes);
  add_upcast(job, point, ranks, local, bytes);
  return bytes;
}

}  // namespace

double checkpoint_bytes(const MemoryJob& job) {
  const LocalParameters whole = local_parameters(job, PlanPoint(), stage_parameters(job.shape, 1, 0));
  const double trained = whole.trained + whole.trained_experts + job.extra_trained;
  // Of an adapter's 16 bytes all but the gradient's 4.
  return trained * (job.weight_bytes + job.optimizer_bytes) + whole.adapters * job.law->lora_state_bytes * 3 / 4;
}

MemoryBytes training_bytes(const MemoryJob& job, const PlanPoint& point) {
  StageParameters part = stage_parameters(job.shape, point.pipeline, 0);
  MemoryBytes fullest = stage_bytes(job, point, part, 0);
  double peak = peak_bytes(job, fullest);
  for (int stage = 1; stage < point.pipeline; ++stage) {
    const StageParameters before = std::exchange(part, stage_parameters(job.shape, point.pipeline, stage));
    // Between the ends, a stage of equal parts holds the activations of no more micro-batches than the one before it.
    if (part == before && stage + 1 < point.pipeline) continue;
    const MemoryBytes other = stage_bytes(job, point, part, stage);
    const double host = std::max(fullest.host, other.host);
    if (const double its_peak = peak_bytes(job, other); its_peak > peak) {
      fullest = other;
      peak = its_peak;
    }
    fullest.host = host;
  }
  return fullest;
}

}  // namespace steelyard::estimate
