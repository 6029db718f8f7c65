#include "decide/gather.hpp"

#include <algorithm>

#include "core/entries.hpp"
#include "decide/4_cost/terms.hpp"

namespace steelyard::decide {

namespace {

Value serving_facts(const Serving& serving) {
  Value facts = Value::map();
  put(facts, "engine", serving.engine);
  put(facts, "input_tokens", serving.input_tokens);
  put(facts, "output_tokens", serving.output_tokens);
  put(facts, "concurrency", serving.concurrency);
  put(facts, "max_model_len", serving.max_model_len);
  put(facts, "requests_per_s", serving.requests_per_s);
  put(facts, "latency_p99_ms", serving.latency_p99_ms);
  put(facts, "weight_only", serving.weight_only);
  return facts;
}

Value needs_facts(const Needs& needs) {
  Value facts;
  facts["fp64"] = needs.fp64;
  facts["windows_native"] = needs.windows_native;
  put(facts, "os", needs.os);
  put(facts, "power_w_max", needs.power_w_max);
  put(facts, "memory_gib", needs.memory_gib);
  return facts;
}

Value constraint_facts(const Constraints& constraints, const ExchangeRates& rates) {
  Value facts;
  facts["spot"] = constraints.spot;
  if (constraints.budget) {
    if (const auto usd = rates.convert(*constraints.budget, "USD")) facts["budget_usd"] = usd->amount;
  }
  facts["has_budget"] = constraints.budget.has_value();
  facts["has_deadline"] = constraints.deadline_h.has_value();
  put(facts, "deadline_h", constraints.deadline_h);
  put(facts, "gpus_min", constraints.gpus_min);
  put(facts, "gpus_max", constraints.gpus_max);
  put(facts, "nodes_max", constraints.nodes_max);
  put(facts, "resumable", constraints.resumable);
  return facts;
}

}  // namespace

Value workload_facts(const Workload& workload, const ExchangeRates& rates) {
  Value facts;
  put(facts, "task", workload.task);
  put(facts, "precision", workload.precision);
  put(facts, "quantization", workload.quantization);
  put(facts, "method", workload.method);
  put(facts, "optimizer", workload.optimizer);
  put(facts, "sharding", workload.sharding);
  put(facts, "offload", workload.offload);
  put(facts, "load", workload.load);
  put(facts, "sequence_length", workload.sequence_length);
  put(facts, "unified_memory", workload.unified_memory);
  facts["needs"] = needs_facts(workload.needs);
  facts["serving"] = workload.serving ? serving_facts(*workload.serving) : Value::map();
  put(facts["inputs"], "image_px", workload.inputs.image_px);
  put(facts["inputs"], "images", workload.inputs.images);
  put(facts["inputs"], "residues", workload.inputs.residues);
  put(facts["inputs"], "tokens", workload.inputs.tokens);
  put(facts["inputs"], "frames", workload.inputs.frames);
  put(facts["software"], "framework", workload.software.framework);
  put(facts["software"], "version", workload.software.version);
  put(facts["software"], "cuda", workload.software.cuda);
  facts["constraints"] = constraint_facts(workload.constraints, rates);
  put(facts["data"], "storage_gib", workload.data.storage_gib);
  put(facts["data"], "egress_gib", workload.data.egress_gib);
  put(facts["checkpoint"], "gb_per_s", workload.checkpoint.gb_per_s);
  put(facts["checkpoint"], "restart_s", workload.checkpoint.restart_s);
  return facts;
}

Value model_facts(const Model& model) {
  Value facts = Value::map();
  put(facts, "id", model.id);
  put(facts, "kind", model.kind);
  put(facts, "params_b", model.params_b);
  put(facts, "params_active_b", model.params_active_b ? model.params_active_b : model.params_b);
  put(facts, "csi_params_b", model.csi_params_b ? model.csi_params_b : model.params_b);
  put(facts, "layers", model.layers);
  put(facts, "hidden", model.hidden);
  put(facts, "heads", model.heads);
  put(facts, "kv_heads", model.kv_heads);
  put(facts, "vocab", model.vocab);
  facts["experts"] = model.experts;
  return facts;
}

Value board_facts(const Board& board) {
  Value facts;
  put(facts, "id", board.id);
  put(facts, "chip", board.chip);
  put(facts, "vendor", board.vendor);
  put(facts, "form_factor", board.form_factor);
  put(facts, "architecture", board.architecture);
  put(facts, "board_class", board.board_class);
  put(facts, "nvlink_kind", board.nvlink_kind);
  facts["memory_gb_nominal"] = board.memory_gb_nominal;
  put(facts, "usable_memory_gib", board.usable_memory_gib);
  put(facts, "memory_bandwidth_gb_per_s", board.memory_bandwidth_gb_per_s);
  put(facts, "non_tensor_fp16_tflops", board.non_tensor_fp16_tflops);
  put(facts, "tdp_w", board.tdp_w);
  put(facts, "compute_capability", board.compute_capability);
  put(facts, "peer_access", board.peer_access);
  facts["dense_tflops"] = Value::map();
  for (const auto& [format, tflops] : board.dense_tflops) facts["dense_tflops"][format] = tflops;
  return facts;
}

Value configuration_facts(const Configuration& configuration) {
  Value facts;
  put(facts, "gpu", configuration.gpu);
  facts["gpus_per_node"] = configuration.gpus_per_node;
  facts["nodes"] = configuration.nodes;
  facts["gpus"] = configuration.gpus();
  put(facts, "intra_node", configuration.intra_node);
  const Board* board = configuration.board;
  put(facts, "gpu_peer_access", configuration.gpu_peer_access ? configuration.gpu_peer_access : board ? board->peer_access : std::nullopt);
  put(facts, "nvlink_domain_gpus", configuration.nvlink_domain_gpus);
  Value& network = facts["inter_node"] = Value::map();
  put(network, "kind", configuration.inter_node.kind);
  put(network, "gbit_per_s_per_node", configuration.inter_node.gbit_per_s_per_node);
  put(network, "ports_per_node", configuration.inter_node.ports_per_node);
  put(network, "gbit_per_s_per_port", configuration.inter_node.gbit_per_s_per_port);
  put(network, "gpudirect", configuration.inter_node.gpudirect);
  put(facts, "host_memory_gib", configuration.host_memory_gib);
  put(facts, "shm_gib", configuration.shm_gib);
  facts["os"] = configuration.os.empty() ? std::string("linux") : configuration.os;
  put(facts, "driver", configuration.driver);
  if (configuration.price) {
    facts["price"]["purchase"] = configuration.price->purchase;
    facts["price"]["per"] = configuration.price->per;
    facts["price"]["amount"] = configuration.price->amount;
    facts["price"]["currency"] = configuration.price->currency;
  }
  return facts;
}

Value plan_facts(const Plan& plan) {
  Value facts;
  facts["tensor"] = plan.tensor;
  facts["pipeline"] = plan.pipeline;
  facts["context"] = plan.context;
  facts["expert"] = plan.expert;
  facts["data"] = plan.data;
  facts["micro_batch"] = plan.micro_batch;
  facts["global_batch"] = plan.global_batch;
  facts["accumulation"] = plan.accumulation;
  facts["sharding"] = plan.sharding;
  facts["offload"] = plan.offload;
  facts["activation_checkpointing"] = plan.activation_checkpointing;
  return facts;
}

Value memory_facts(const MemoryEstimate& memory) {
  Value facts = Value::map();
  put(facts, "usable_gib", memory.usable_gib);
  put(facts, "peak_gib", memory.peak_gib);
  put(facts, "largest_allocation_gib", memory.largest_allocation_gib);
  put(facts, "host_gib", memory.host_gib);
  put(facts, "basis", memory.basis);
  put(facts, "states_gib", memory.states_gib);
  put(facts, "fixed_gib", memory.fixed_gib);
  put(facts, "run_gib", memory.run_gib);
  put(facts, "load_gib", memory.load_gib);
  put(facts, "kv_tokens", memory.kv_tokens);
  facts["single_gpu"] = memory.single_gpu;
  put(facts, "code", memory.code);
  put(facts, "failing_phase", memory.failing_phase);
  put(facts, "failing_allocation", memory.failing_allocation);
  for (const MemoryPhase& phase : memory.phases) facts["phase"][phase.phase] = phase.gib;
  for (const auto& [part, gib] : memory.breakdown_gib) facts["breakdown"][part] = gib;
  return facts;
}

Value time_facts(const TimeEstimate& time) {
  Value facts = Value::map();
  put(facts, "step_time_s", time.step_time_s);
  put(facts, "tokens_per_s", time.tokens_per_s);
  put(facts, "samples_per_s", time.samples_per_s);
  put(facts, "output_tokens_per_s", time.output_tokens_per_s);
  put(facts, "requests_per_s", time.requests_per_s);
  put(facts, "latency_ms", time.latency_ms);
  put(facts, "interconnect", time.interconnect);
  put(facts, "memory", time.memory);
  put(facts, "software", time.software);
  put(facts, "confidence", time.confidence);
  for (const auto& [part, seconds] : time.breakdown_s) facts["breakdown_s"][part] = seconds;
  return facts;
}

std::optional<double> usd_per_hour(const Configuration& configuration, const ExchangeRates& rates) {
  if (!configuration.price) return std::nullopt;
  const Price& price = *configuration.price;
  const int units = units_of(price, configuration.gpus_per_node, configuration.nodes);
  const auto usd = rates.convert({paid_amount(price) * units, price.currency}, "USD");
  return usd ? std::optional(usd->amount) : std::nullopt;
}

}  // namespace steelyard::decide
