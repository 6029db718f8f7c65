#include "estimate/memory/job.hpp"

#include "core/text.hpp"
#include "estimate/diffusion/law.hpp"

namespace steelyard::estimate {

namespace {

std::string software_of(const std::string& framework) {
  std::string key = name_key(framework);
  for (const char* kind : {"tensorrt", "compile"})
    if (key.find(kind) != std::string::npos) return kind;
  return key;
}

/// Bytes that the update of one parameter moves: gradient, master weight and states in; master weight, states and working weight out.
double optimizer_bytes(const std::string& optimizer) {
  if (optimizer == "adam8bit") return 4 + 4 + 2 + 4 + 2 + 2;
  if (optimizer == "adafactor") return 4 + 4 + 4 + 2;
  if (optimizer == "sgd") return 4 + 4 + 4 + 4 + 4 + 2;
  return optimizer == "none" ? 0 : 4 + 12 + 12 + 2;
}

/// Samples are generated on one GPU each; only a training job needs the links.
std::optional<TrainingMachine> machine_of(const Configuration& configuration, const std::string& precision, bool training) {
  if (training || configuration.nodes <= 1) return training_machine(configuration, precision);
  Configuration one = configuration;
  one.nodes = 1;
  auto machine = training_machine(one, precision);
  if (machine) machine->gpus = configuration.gpus();
  return machine;
}

// What offloading moves, by the memory of the job: the models of the pipeline once, or one of them in every step (memory/serving.cpp).
void set_moved(const Workload& workload, const Configuration& configuration, DiffusionJob& out) {
  const Offload offload = offload_of(workload.offload);
  if (out.training || offload < Offload::parameters) return;
  const MemoryJob memory = memory_job(workload, configuration);
  const double network = memory.shape.parameters * memory.stored_bytes;
  out.moved_once = memory.measured ? memory.measured->frozen_gib * 1073741824.0 : 0;
  (offload == Offload::parameters ? out.moved_once : out.moved_a_step) += network;
}

}  // namespace

std::optional<DiffusionJob> diffusion_job(const Workload& workload, const Configuration& configuration, std::vector<std::string>& missing) {
  DiffusionJob out;
  const auto model = diffusion_model(workload);
  if (!model) missing.push_back("workload.model.params_b");
  out.training = trains(workload.task);
  if (!configuration.board) missing.push_back("configuration.gpu");
  if (!missing.empty()) return std::nullopt;
  const auto machine = machine_of(configuration, workload.precision.empty() ? "bf16" : workload.precision, out.training);
  if (!machine) missing.push_back(configuration.nodes > 1 ? "configuration.inter_node" : "board.dense_tflops");
  if (!machine) return std::nullopt;
  out.model = *model, out.machine = *machine;
  out.px = workload.inputs.image_px ? *workload.inputs.image_px : model->native_px;
  out.frames = workload.inputs.frames ? *workload.inputs.frames : model->native_frames;
  out.images = workload.inputs.images.value_or(1);
  const std::string method = workload.method.empty() ? workload.task : workload.method;
  out.trains_weights = method != "lora" && method != "qlora" && method != "freeze";
  out.optimizer_bytes = optimizer_bytes(workload.optimizer);
  out.name = name_key(workload.model ? workload.model->id : workload.model_name);
  out.software = software_of(workload.software.framework);
  out.use = std::string(out.training ? "training" : "generation") + (model->unet ? " unet" : " transformer");
  set_moved(workload, configuration, out);
  return out;
}

}  // namespace steelyard::estimate
