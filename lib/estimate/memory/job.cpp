#include "estimate/memory/job.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "estimate/diffusion/model.hpp"

namespace steelyard::estimate {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Method method_of(const Workload& workload) {
  const std::string& word = workload.method.empty() ? workload.task : workload.method;
  if (word == "qlora") return Method::qlora;
  if (word == "lora") return Method::lora;
  if (word == "freeze") return Method::freeze;
  return Method::full;
}

// Attention without score matrices needs kernels that older NVIDIA boards lack; boards of other makers have them.
bool has_fused_attention(const Configuration& configuration, const MemoryLaw& law) {
  const double first = law.fused_attention_capability;
  return !configuration.board || configuration.board->compute_capability.value_or(first) >= first;
}

bool loss_is_fused(const Workload& workload, const MemoryLaw& law) {
  return std::any_of(workload.software.packages.begin(), workload.software.packages.end(), [&](const std::string& package) {
    const std::string lower = to_lower(package);
    return std::any_of(law.fused_loss_packages.begin(), law.fused_loss_packages.end(), [&](const std::string& one) { return contains(lower, one); });
  });
}

constexpr double gib = 1073741824.0;

double pixels(const Inputs& inputs) { return inputs.image_px.value_or(0); }

bool is_diffusion(std::string_view task) { return contains(task, "diffusion"); }

constexpr double megapixel = 1 << 20;

/// The sample of a diffusion job: what its memory grows with.
struct Sample {
  DiffusionModel model;
  double px = megapixel, frames = 1;

  double megapixel_frames() const { return px / megapixel * model.latent_frames(frames); }
  /// Gives memory by the bytes that one token keeps for each hidden element of the network.
  double gib_per_megapixel(double bytes_per_hidden) const { return bytes_per_hidden * model.hidden * megapixel / model.token_px / gib; }
};

Sample sample_of(const Workload& workload, const std::optional<MeasuredMemory>& measured) {
  Sample sample;
  if (const auto model = diffusion_model(workload)) {
    sample.model = *model;
    sample.px = model->native_px;
  }
  if (workload.inputs.image_px) sample.px = *workload.inputs.image_px;
  sample.frames = measured ? measured->frames : 1;
  if (workload.inputs.frames) sample.frames = *workload.inputs.frames;
  return sample;
}

// A diffusion model without a measurement follows the others: for an image by its parameters, for a clip by tokens and width.
std::optional<MeasuredMemory> diffusion_like_others(const Workload& workload, const MemoryLaw& law) {
  if (!is_diffusion(workload.task) || !workload.model || !workload.model->params_b) return std::nullopt;
  MeasuredMemory measured;
  measured.unit = "megapixel";
  measured.inferred = true;
  measured.figure = law.diffusion_gib_per_megapixel_and_billion * *workload.model->params_b;
  const Sample sample = sample_of(workload, std::nullopt);
  if (sample.frames > 1 && sample.model.hidden > 0) measured.figure = sample.gib_per_megapixel(law.clip_bytes_per_hidden);
  return measured;
}

std::optional<MeasuredMemory> find_measured(const Workload& workload, const Configuration& configuration, const MemoryLaw& law) {
  const std::string use = trains(workload.task) || is_diffusion(workload.task) ? "training" : "inference";
  const double capability = configuration.board ? configuration.board->compute_capability.value_or(99) : 99;
  const MeasuredMemory* best = nullptr;
  for (const MeasuredMemory& one : law.measured) {
    const bool named = names_model(one.models, workload.model_name) || (workload.model && names_model(one.models, workload.model->id));
    if (named && one.use == use && capability >= one.capability && (!best || one.capability > best->capability)) best = &one;
  }
  return best ? std::optional(*best) : diffusion_like_others(workload, law);
}

double measured_units(const MeasuredMemory& measured, const Workload& workload) {
  const Inputs& inputs = workload.inputs;
  if (measured.unit == "megapixel") return inputs.image_px.value_or(1 << 20) * inputs.images.value_or(1) / megapixel;
  if (measured.unit == "kilotoken") return std::max(inputs.tokens.value_or(0), inputs.residues.value_or(0)) / 1000.0;
  return 1;
}

// Memory of a clip grows with its tokens: pixels times the frames of the encoder. What is published for generating a clip is less than
// what training keeps: the inputs of all layers and the layer at work.
void set_sample(const Workload& workload, MemoryJob& job) {
  job.diffusion = true;
  MeasuredMemory& measured = *job.measured;
  const Sample sample = sample_of(workload, measured);
  const double latents = sample.model.latent_frames(measured.frames);
  job.frames = sample.frames;
  job.units = sample.megapixel_frames() / latents * workload.inputs.images.value_or(1);
  const bool published = measured.megapixels > 0 && (sample.frames <= 1 || measured.frames > 1);
  if (published) job.sample_share = job.units / measured.megapixels;
  if (!trains(workload.task) && measured.inference_figure > 0) measured.figure = measured.inference_figure;
  if (!trains(workload.task) || sample.frames <= 1) return;
  const double layer = job.law->plain_bytes_per_hidden + job.law->dropout_bytes_per_hidden + 4 * job.law->plain_bytes_per_ffn;
  const double kept = job.law->checkpoint_bytes_per_hidden * sample.model.layers + job.law->recompute_layer_factor * layer;
  measured.figure = std::max(measured.figure, sample.gib_per_megapixel(kept) * latents);
  const double whole = sample.gib_per_megapixel(layer * sample.model.layers) * latents;
  if (measured.unrecomputed_figure <= 0) measured.unrecomputed_figure = std::max(whole, measured.figure);
}

void set_training_bytes(const Workload& workload, MemoryJob& job) {
  const std::string precision = workload.precision.empty() ? "bf16" : workload.precision;
  const double arithmetic = job.law->format(precision).bytes;
  const auto kept = job.framework->weight_bytes.find(precision);
  // Formats below 16 bits are for the arithmetic; the weights that an optimizer updates stay in 16 bits unless the framework says otherwise.
  job.weight_bytes = kept != job.framework->weight_bytes.end() ? kept->second : std::max(2.0, arithmetic);
  const bool full_precision = job.weight_bytes >= 4;
  job.gradient_bytes = full_precision ? job.weight_bytes : job.framework->gradient_bytes;
  const auto moments = job.law->optimizer_bytes.find(workload.optimizer.empty() ? "adamw" : workload.optimizer);
  const double states = moments == job.law->optimizer_bytes.end() ? 8 : moments->second;
  job.optimizer_bytes = states + (full_precision || workload.optimizer == "none" ? 0 : 4);
  const double predicted = workload.model && workload.model->kind == "nlp" ? job.law->encoder_logits_share : 1;
  job.logits_bytes = loss_is_fused(workload, *job.law) ? 0 : job.framework->logits_bytes * predicted;
}

// Are the weights served in the format that they are published in, not converted.
bool serves_published_weights(const Workload& workload) {
  if (!workload.model || workload.model->stored_format.empty() || trains(workload.task)) return false;
  const std::string& format = workload.model->stored_format;
  if (!workload.quantization.empty()) return workload.quantization == format;
  if (workload.serving && !workload.serving->weight_only.empty()) return false;
  return workload.precision.empty() || workload.precision == format;
}

void set_stored_bytes(const Workload& workload, MemoryJob& job) {
  const std::string weight_only = workload.serving ? workload.serving->weight_only : std::string();
  const std::string quantized = job.method == Method::qlora ? std::string("nf4") : std::string();
  const std::string precision = workload.precision.empty() ? "bf16" : workload.precision;
  const bool published = serves_published_weights(workload);
  const std::string name = !workload.quantization.empty()                     ? workload.quantization
                           : !weight_only.empty()                             ? weight_only
                           : !quantized.empty()                               ? quantized
                           : published && workload.model->stored_part.empty() ? workload.model->stored_format
                                                                              : precision;
  const bool arithmetic_only = trains(workload.task) && name == precision;
  const StoredFormat format = job.law->format(name);
  job.stored_bytes = job.stored_expert_bytes = arithmetic_only ? std::max(2.0, format.bytes) : format.bytes;
  job.stored_embedding_bytes = format.whole ? format.bytes : 2;
  if (workload.quantization.empty() && !trains(workload.task) && workload.model && workload.model->stored_part == "experts")
    job.stored_expert_bytes = std::min(job.stored_expert_bytes, job.law->format(workload.model->stored_format).bytes);
  if (published) job.stored_block = workload.model->stored_block.value_or(0);
}

bool is_trained_role(const Role& role) { return role.role == "actor" || role.role == "critic"; }

// Reinforcement learning holds more models than the trained one. Without roles: a frozen reference and a copy that generates.
void add_roles(const Workload& workload, MemoryJob& job) {
  if (workload.task != "rl_post_training") return;
  const double own = job.shape.parameters;
  if (workload.roles.empty()) {
    job.extra_frozen = job.method == Method::full ? own : 0;
    job.rollout_parameters = own;
    return;
  }
  bool own_counted = false;
  for (const Role& role : workload.roles) {
    const double parameters = role.model ? role.model->params_b.value_or(0) * 1e9 : own;
    if (role.role == "rollout") {
      job.rollout_parameters = std::max(job.rollout_parameters, parameters);
    } else if (is_trained_role(role) && role.method != "freeze") {
      if (own_counted) job.extra_trained += parameters;
      own_counted = true;
    } else {
      job.extra_frozen += parameters;
    }
  }
}

void set_serving(const Workload& workload, MemoryJob& job) {
  const Serving serving = workload.serving.value_or(Serving{});
  job.engine = &job.law->engine(serving.engine);
  job.input_tokens = serving.input_tokens ? *serving.input_tokens : job.law->usual_input_tokens;
  job.output_tokens = serving.output_tokens ? *serving.output_tokens : job.law->usual_output_tokens;
  job.concurrency = serving.concurrency.value_or(0);
  job.least_kv_tokens = serving.max_model_len ? *serving.max_model_len : job.input_tokens + job.output_tokens;
  const double concurrency = job.concurrency > 0 ? job.concurrency : job.engine->max_sequences;
  job.sequences = std::min(concurrency, job.engine->max_sequences);
  job.prefill_tokens = std::min(job.engine->prefill_tokens, std::max(1.0, job.input_tokens * concurrency));
  const auto kv = job.engine->kv_bytes.find(workload.precision);
  job.kv_token_bytes = job.shape.kv_bytes_per_token() / 2 * (kv == job.engine->kv_bytes.end() ? 2 : kv->second);
  const std::string& id = workload.model ? workload.model->id : workload.model_name;
  for (const SlidingWindow& one : job.law->sliding_windows) {
    if (!names_model(one.models, id)) continue;
    const double seen = one.share * std::min(one.window, job.least_kv_tokens) + (1 - one.share) * job.least_kv_tokens;
    job.least_kv_tokens = seen;
  }
}

JobKind kind_of(const Workload& workload, const MemoryJob& job) {
  if (workload.needs.memory_gib) return JobKind::sized;
  if (!workload.model && !job.measured) return JobKind::nothing;
  if (trains(workload.task)) return JobKind::training;
  return serves(workload.task) && job.shape.transformer ? JobKind::serving : JobKind::forward;
}

}  // namespace

Sharding sharding_of(std::string_view word) {
  if (word == "ddp") return Sharding::ddp;
  if (word == "zero1") return Sharding::zero1;
  if (word == "zero2") return Sharding::zero2;
  if (word == "zero3") return Sharding::zero3;
  if (word == "fsdp") return Sharding::fsdp;
  return word == "hsdp" ? Sharding::hsdp : Sharding::none;
}

Recompute recompute_of(std::string_view word) {
  if (word == "full") return Recompute::full;
  return word == "selective" ? Recompute::selective : Recompute::none;
}

Offload offload_of(std::string_view word) {
  if (word == "parameters") return Offload::parameters;
  if (word == "sequential") return Offload::sequential;
  return word == "optimizer" ? Offload::optimizer : Offload::none;
}

PlanPoint point_of(const Plan& plan) {
  PlanPoint point;
  point.tensor = std::max(1, plan.tensor);
  point.pipeline = std::max(1, plan.pipeline);
  point.context = std::max(1, plan.context);
  point.expert = std::max(1, plan.expert);
  point.virtual_pipeline = std::max(1, plan.virtual_pipeline);
  point.data = std::max(1, plan.data);
  point.micro = std::max(1, plan.micro_batch);
  point.accumulation = std::max(1, plan.accumulation);
  point.shard_group = plan.shard_group;
  point.recomputed_layers = plan.recomputed_layers;
  point.sequence_parallel = plan.sequence_parallel;
  point.sharding = sharding_of(plan.sharding);
  point.recompute = recompute_of(plan.activation_checkpointing);
  point.offload = offload_of(plan.offload);
  return point;
}

bool trains(std::string_view task) { return contains(task, "train") || contains(task, "finetune") || task == "lora" || task == "qlora"; }

bool serves(std::string_view task) { return task == "llm_inference" || task == "multimodal_inference" || task == "labelling"; }

int sequence_length(const Workload& workload) {
  if (workload.sequence_length) return *workload.sequence_length;
  const int usual = static_cast<int>(memory_law().usual_sequence_length);
  return workload.model && workload.model->max_sequence ? std::min(usual, *workload.model->max_sequence) : usual;
}

MemoryJob memory_job(const Workload& workload, const Configuration& configuration) {
  MemoryJob job;
  job.law = &memory_law();
  job.framework = &job.law->framework(workload.software.framework);
  job.engine = &job.law->engine("");
  job.method = method_of(workload);
  if (workload.model) job.shape = shape_of(*workload.model);
  job.gpus_per_node = std::max(1, configuration.gpus_per_node);
  job.gpus = std::max(1, configuration.gpus());
  job.measured = find_measured(workload, configuration, *job.law);
  if (job.measured) job.units = measured_units(*job.measured, workload);
  if (job.measured && is_diffusion(workload.task)) set_sample(workload, job);
  job.kind = kind_of(workload, job);
  job.sized_gib = workload.needs.memory_gib.value_or(0);
  job.fused_attention = has_fused_attention(configuration, *job.law);
  job.full_load = workload.load == "full";
  job.sequence = sequence_length(workload);
  job.encoder_patches = pixels(workload.inputs) * workload.inputs.images.value_or(1) / job.law->vision_patch_px;
  if (workload.lora) {
    job.lora_rank = workload.lora->rank;
    job.lora_all_linear = contains(workload.lora->targets, "all");
  } else {
    job.lora_rank = Lora{}.rank;
  }
  set_training_bytes(workload, job);
  set_stored_bytes(workload, job);
  add_roles(workload, job);
  if (job.kind == JobKind::serving) set_serving(workload, job);
  return job;
}

}  // namespace steelyard::estimate
