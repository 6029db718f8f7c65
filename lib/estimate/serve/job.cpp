#include "estimate/serve/job.hpp"

#include <algorithm>
#include <steelyard/memory.hpp>

#include "core/text.hpp"
#include "estimate/collective/links.hpp"
#include "estimate/memory/job.hpp"

namespace steelyard::estimate {

namespace {

constexpr double gib = 1073741824.0;

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

void set_model(const MemoryJob& memory, const Workload& workload, ServeJob& out) {
  const Shape& shape = memory.shape;
  out.layers = shape.layers;
  out.hidden = shape.hidden;
  out.heads = shape.heads;
  out.head_dim = shape.head_dim;
  out.kv_heads = std::max(1.0, shape.kv_heads);
  out.latent_attention = shape.latent_attention;
  out.parameters = shape.parameters;
  out.active = shape.active();
  out.routed = shape.layer_experts() * shape.expert_layers();
  out.experts = shape.experts;
  out.experts_per_token = shape.experts_per_token;
  out.weight_bytes = memory.stored_bytes;
  out.expert_bytes = memory.stored_expert_bytes;
  out.kv_token_bytes = memory.kv_token_bytes;
  const std::string& id = workload.model ? workload.model->id : workload.model_name;
  for (const SlidingWindow& one : memory.law->sliding_windows)
    if (names_model(one.models, id)) out.window = one.window, out.window_share = one.share;
}

ServeFormat format_of(const std::string& precision) {
  if (holds(precision, "fp8") || precision == "int8") return ServeFormat::eight;
  return holds(precision, "fp4") ? ServeFormat::four : ServeFormat::sixteen;  // int4 weights are multiplied in 16 bits
}

void set_board(const Configuration& configuration, const Workload& workload, ServeJob& out, std::vector<std::string>& missing) {
  const Board& board = *configuration.board;
  const double sixteen = dense_peak_tflops(board, "bf16").value_or(dense_peak_tflops(board, "fp16").value_or(0)) * 1e12;
  const double own = dense_peak_tflops(board, workload.precision).value_or(0) * 1e12;
  out.format = format_of(workload.precision);
  if (own <= 0) out.format = ServeFormat::sixteen;  // the board multiplies in 16 bits what it stores in fewer
  out.peak = out.format == ServeFormat::sixteen ? sixteen : own;
  out.peak_16 = sixteen;
  out.fp16_peak_any = std::max(board.fp16_accumulate_tflops.value_or(0) * 1e12, sixteen);
  out.memory_rate = board.memory_bandwidth_gb_per_s.value_or(0) * 1e9;
  out.usable_bytes = usable_memory_gib(board).value_or(0) * gib;
  out.board = board.id;
  out.architecture = board.architecture + (board.nvlink_generation ? "" : " pcie");
  out.host_cpu_slow = board.form_factor == "superchip";
  if (out.peak <= 0) missing.push_back("board.dense_tflops");
  if (out.memory_rate <= 0) missing.push_back("board.memory_bandwidth_gb_per_s");
  if (out.usable_bytes <= 0) missing.push_back("board.usable_memory_gib");
}

void set_link(const Configuration& configuration, ServeJob& out) {
  if (out.gpus < 2) return;
  std::vector<std::string> unknown;
  IntraLink link = intra_link(configuration, std::min(out.gpus, configuration.gpus_per_node), unknown);
  if (link.key.empty()) link.key = "pcie4";
  out.nvlink = link.key.starts_with("nvlink");
  out.link = nominal_gb_per_s(link.key) * link.scale * 1e9;
}

void set_plan(const Configuration& configuration, const Plan& plan, ServeJob& out) {
  out.gpus = std::max(1, configuration.gpus());
  out.tensor = std::max(1, plan.tensor);
  out.pipeline = std::max(1, plan.pipeline);
  out.expert = std::max(1, plan.expert);
  out.attention_data_parallel = out.expert > 1 && out.tensor == 1 && out.experts > 0;
}

}  // namespace

std::optional<ServeJob> serve_job(const Workload& workload, const Configuration& configuration, const Plan& plan, std::vector<std::string>& missing) {
  ServeJob out;
  if (!workload.model) missing.push_back("workload.model");
  if (!configuration.board) missing.push_back("configuration.gpu");
  if (!missing.empty()) return std::nullopt;
  const MemoryJob memory = memory_job(workload, configuration);
  if (!memory.shape.transformer) missing.push_back("workload.model.layers, hidden, heads and ffn");
  set_model(memory, workload, out);
  set_board(configuration, workload, out, missing);
  if (!missing.empty()) return std::nullopt;
  set_plan(configuration, plan, out);
  set_link(configuration, out);
  const Serving serving = workload.serving.value_or(Serving{});
  out.input = serving.input_tokens ? *serving.input_tokens : memory.law->usual_input_tokens;
  out.output = serving.output_tokens ? *serving.output_tokens : memory.law->usual_output_tokens;
  out.input = std::max(1.0, out.input), out.output = std::max(1.0, out.output);
  out.concurrency = serving.concurrency.value_or(0);
  out.engine = to_lower(!serving.engine.empty() ? serving.engine : workload.software.framework);
  out.release = workload.software.version.empty() ? "" : out.engine + " " + workload.software.version;
  out.single_stream = holds(out.engine, "llama.cpp") || holds(out.engine, "ollama");
  out.quantized = !workload.quantization.empty() && workload.quantization != "none" && memory.stored_bytes < 2;
  return out;
}

}  // namespace steelyard::estimate
