#include <cmath>

#include "core/text.hpp"
#include "estimate/memory/law.hpp"
#include "estimate/train/step.hpp"

namespace steelyard::estimate {

namespace {

std::string method_of(const Workload& workload) {
  if (!workload.method.empty()) return workload.method;
  return workload.task == "lora" || workload.task == "qlora" ? workload.task : "full";
}

std::string precision_of(const Workload& workload, const Configuration& configuration) {
  if (!workload.precision.empty()) return workload.precision;
  const bool half_only =
      configuration.board && !configuration.board->dense_tflops.contains("bf16") && configuration.board->dense_tflops.contains("fp16");
  return half_only ? "fp16" : "bf16";
}

/// Bytes that an update of one parameter reads and writes: gradient, master weight and states in, master weight, states and working weight out.
double optimizer_bytes(const std::string& optimizer) {
  if (optimizer == "adam8bit") return 4 + 4 + 2 + 4 + 2 + 2;
  if (optimizer == "adafactor") return 4 + 4 + 4 + 2;
  if (optimizer == "sgd") return 4 + 4 + 4 + 4 + 4 + 2;
  if (optimizer == "none") return 0;
  return 4 + 12 + 12 + 2;
}

std::string format_class(const std::string& format) {
  if (format == "fp16" || format == "bf16") return "bf16";
  if (format == "mxfp4" || format == "fp4") return "nvfp4";
  if (format == "tf32" || format == "fp64" || format == "fp64_tensor") return "fp32";
  return format;
}

void set_efficiencies(const ParameterSet& parameters, const std::string& kernels, TrainingJob& job) {
  const std::string generation = job.machine.generation, format = format_class(job.machine.format);
  const std::string wide = format == "mxfp8" ? "fp8" : format;
  job.gemm =
      parameters.first_of({"gemm_" + format + "_" + generation, "gemm_" + wide + "_" + generation, "gemm_" + wide + "_other", "gemm_bf16_other"});
  const bool full = format == "fp32";
  job.half_gemm = full ? job.gemm : parameters.first_of({"gemm_bf16_" + generation, "gemm_bf16_other"});
  job.attention = parameters.first_of({"attention_" + generation + "_" + kernels, "attention_" + generation, "attention_other"});
  if (!job.flash_attention) job.attention = parameters.first_of({"attention_plain"});
}

/// Which generation of fused attention kernels software of that year has.
std::string attention_kernels(double year, const SoftwareTable& table) {
  return year >= table.third_attention_year ? "third" : year >= table.second_attention_year ? "second" : "first";
}

/// Packages can bring the fast attention to older software.
bool names_flash_attention(const Software& software) {
  for (const std::string& package : software.packages)
    if (name_key(package).starts_with("flashattn")) return true;
  return false;
}

}  // namespace

std::optional<TrainingJob> training_job(const Workload& workload, const Configuration& configuration, const SoftwareTable& table,
                                        const ParameterSet& parameters) {
  if (!workload.model || !workload.sequence_length || *workload.sequence_length <= 0 || !parameters.complete()) return std::nullopt;
  const auto shape = transformer_shape(*workload.model);
  const auto machine = training_machine(configuration, precision_of(workload, configuration));
  if (!shape || !machine) return std::nullopt;
  TrainingJob job;
  job.shape = *shape;
  job.machine = *machine;
  job.software = training_software(workload.software, table);
  job.sequence = *workload.sequence_length;
  const std::string method = method_of(workload);
  job.trains_weights = method == "full";
  job.fine_tunes = workload.task != "pretrain";
  if (method == "qlora" || !workload.quantization.empty()) {
    job.gathered_bytes_per_weight = memory_law().format(workload.quantization.empty() ? "nf4" : workload.quantization).bytes;
    job.dequantised_bytes_per_weight = job.gathered_bytes_per_weight + 2 + 2;  // packed in, half out, read again
  }
  job.optimizer_bytes = optimizer_bytes(workload.optimizer);
  job.low_precision = job.machine.format.find("fp8") != std::string::npos || job.machine.format.find("fp4") != std::string::npos;
  job.recompute_open = workload.activation_checkpointing.empty();
  job.flash_attention = job.software.year >= table.flash_attention_year || names_flash_attention(workload.software);
  job.fused_experts = job.software.engine == "megatron" && job.software.year >= table.fused_experts_year;
  set_efficiencies(parameters, attention_kernels(job.software.year, table), job);
  if (job.gemm < 0 || job.half_gemm < 0 || job.attention < 0) return std::nullopt;
  return job;
}

}  // namespace steelyard::estimate
