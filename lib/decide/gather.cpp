#include "decide/gather.hpp"

#include <algorithm>

#include "core/entries.hpp"
#include "decide/4_cost/terms.hpp"

namespace steelyard::decide {

namespace {

Value::Map room_for(std::size_t entries) {
  Value::Map map;
  map.reserve(entries);
  return map;
}

/// A map within a map; valid until the outer one grows.
Value::Map& group(Value::Map& facts, const char* name, std::size_t entries) { return facts.emplace_back(name, room_for(entries)).second.as_map(); }

Value serving_facts(const Serving& serving) {
  Value::Map facts = room_for(8);
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

Value input_facts(const Inputs& inputs) {
  Value::Map facts = room_for(5);
  put(facts, "image_px", inputs.image_px);
  put(facts, "images", inputs.images);
  put(facts, "residues", inputs.residues);
  put(facts, "tokens", inputs.tokens);
  put(facts, "frames", inputs.frames);
  return facts;
}

Value software_facts(const Software& software) {
  Value::Map facts = room_for(3);
  put(facts, "framework", software.framework);
  put(facts, "version", software.version);
  put(facts, "cuda", software.cuda);
  return facts;
}

Value needs_facts(const Needs& needs) {
  Value::Map facts = room_for(5);
  facts.emplace_back("fp64", needs.fp64);
  facts.emplace_back("windows_native", needs.windows_native);
  put(facts, "os", needs.os);
  put(facts, "power_w_max", needs.power_w_max);
  put(facts, "memory_gib", needs.memory_gib);
  return facts;
}

Value constraint_facts(const Constraints& constraints, const ExchangeRates& rates) {
  Value::Map facts = room_for(9);
  facts.emplace_back("spot", constraints.spot);
  if (constraints.budget) {
    if (const auto usd = rates.convert(*constraints.budget, "USD")) facts.emplace_back("budget_usd", usd->amount);
  }
  facts.emplace_back("has_budget", constraints.budget.has_value());
  facts.emplace_back("has_deadline", constraints.deadline_h.has_value());
  put(facts, "deadline_h", constraints.deadline_h);
  put(facts, "gpus_min", constraints.gpus_min);
  put(facts, "gpus_max", constraints.gpus_max);
  put(facts, "nodes_max", constraints.nodes_max);
  put(facts, "resumable", constraints.resumable);
  return facts;
}

}  // namespace

Value workload_facts(const Workload& workload, const ExchangeRates& rates) {
  Value::Map facts = room_for(18);
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
  facts.emplace_back("needs", needs_facts(workload.needs));
  facts.emplace_back("serving", workload.serving ? serving_facts(*workload.serving) : Value::map());
  facts.emplace_back("inputs", input_facts(workload.inputs));
  facts.emplace_back("software", software_facts(workload.software));
  facts.emplace_back("constraints", constraint_facts(workload.constraints, rates));
  Value::Map& data = group(facts, "data", 2);
  put(data, "storage_gib", workload.data.storage_gib);
  put(data, "egress_gib", workload.data.egress_gib);
  Value::Map& checkpoint = group(facts, "checkpoint", 2);
  put(checkpoint, "gb_per_s", workload.checkpoint.gb_per_s);
  put(checkpoint, "restart_s", workload.checkpoint.restart_s);
  return facts;
}

Value model_facts(const Model& model) {
  Value::Map facts = room_for(16);
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
  facts.emplace_back("experts", model.experts);
  if (model.experts == 0 || model.first_dense_layers > 0) put(facts, "ffn", model.ffn);
  if (model.experts > 0) put(facts, "expert_ffn", model.moe_ffn ? model.moe_ffn : model.ffn);
  put(facts, "stored_format", model.stored_format);
  put(facts, "stored_block", model.stored_block);
  return facts;
}

Value board_facts(const Board& board) {
  Value::Map facts = room_for(20);
  put(facts, "id", board.id);
  put(facts, "chip", board.chip);
  put(facts, "vendor", board.vendor);
  put(facts, "form_factor", board.form_factor);
  put(facts, "architecture", board.architecture);
  put(facts, "board_class", board.board_class);
  put(facts, "nvlink_kind", board.nvlink_kind);
  facts.emplace_back("memory_gb_nominal", board.memory_gb_nominal);
  put(facts, "usable_memory_gib", board.usable_memory_gib);
  put(facts, "memory_bandwidth_gb_per_s", board.memory_bandwidth_gb_per_s);
  put(facts, "non_tensor_fp16_tflops", board.non_tensor_fp16_tflops);
  put(facts, "tdp_w", board.tdp_w);
  put(facts, "compute_capability", board.compute_capability);
  put(facts, "peer_access", board.peer_access);
  Value::Map& dense = group(facts, "dense_tflops", board.dense_tflops.size());
  for (const auto& [format, tflops] : board.dense_tflops) dense.emplace_back(format, tflops);
  return facts;
}

Value configuration_facts(const Configuration& configuration) {
  Value::Map facts = room_for(16);
  put(facts, "gpu", configuration.gpu);
  facts.emplace_back("gpus_per_node", configuration.gpus_per_node);
  facts.emplace_back("nodes", configuration.nodes);
  facts.emplace_back("gpus", configuration.gpus());
  put(facts, "intra_node", configuration.intra_node);
  const Board* board = configuration.board;
  put(facts, "gpu_peer_access", configuration.gpu_peer_access ? configuration.gpu_peer_access : board ? board->peer_access : std::nullopt);
  put(facts, "nvlink_domain_gpus", configuration.nvlink_domain_gpus);
  Value::Map& network = group(facts, "inter_node", 5);
  put(network, "kind", configuration.inter_node.kind);
  put(network, "gbit_per_s_per_node", configuration.inter_node.gbit_per_s_per_node);
  put(network, "ports_per_node", configuration.inter_node.ports_per_node);
  put(network, "gbit_per_s_per_port", configuration.inter_node.gbit_per_s_per_port);
  put(network, "gpudirect", configuration.inter_node.gpudirect);
  put(facts, "host_memory_gib", configuration.host_memory_gib);
  put(facts, "shm_gib", configuration.shm_gib);
  facts.emplace_back("os", configuration.os.empty() ? std::string("linux") : configuration.os);
  put(facts, "driver", configuration.driver);
  if (configuration.price) {
    Value::Map& price = group(facts, "price", 4);
    price.emplace_back("purchase", configuration.price->purchase);
    price.emplace_back("per", configuration.price->per);
    price.emplace_back("amount", configuration.price->amount);
    price.emplace_back("currency", configuration.price->currency);
  }
  return facts;
}

Value plan_facts(const Plan& plan) {
  Value::Map facts = room_for(12);
  facts.emplace_back("tensor", plan.tensor);
  facts.emplace_back("pipeline", plan.pipeline);
  facts.emplace_back("context", plan.context);
  facts.emplace_back("expert", plan.expert);
  facts.emplace_back("data", plan.data);
  facts.emplace_back("micro_batch", plan.micro_batch);
  facts.emplace_back("global_batch", plan.global_batch);
  facts.emplace_back("accumulation", plan.accumulation);
  facts.emplace_back("sharding", plan.sharding);
  facts.emplace_back("offload", plan.offload);
  facts.emplace_back("activation_checkpointing", plan.activation_checkpointing);
  return facts;
}

Value memory_facts(const MemoryEstimate& memory) {
  Value::Map facts = room_for(19);
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
  put(facts, "upcast_gib", memory.upcast_gib);
  put(facts, "frames", memory.frames);
  put(facts, "sample_share", memory.sample_share);
  facts.emplace_back("single_gpu", memory.single_gpu);
  put(facts, "code", memory.code);
  put(facts, "failing_phase", memory.failing_phase);
  put(facts, "failing_allocation", memory.failing_allocation);
  Value::Map& phases = group(facts, "phase", memory.phases.size());
  for (const MemoryPhase& phase : memory.phases) phases.emplace_back(phase.phase, phase.gib);
  Value::Map& breakdown = group(facts, "breakdown", memory.breakdown_gib.size());
  for (const auto& [part, gib] : memory.breakdown_gib) breakdown.emplace_back(part, gib);
  return facts;
}

Value time_facts(const TimeEstimate& time) {
  Value::Map facts = room_for(12);
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
  Value::Map& breakdown = group(facts, "breakdown_s", time.breakdown_s.size());
  for (const auto& [part, seconds] : time.breakdown_s) breakdown.emplace_back(part, seconds);
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
